/** What several commands have in common. */
const PORT_AND_HOST = `  --port N         port to listen on      (default: 5000)
  --host ADDRESS   address to listen on   (default: 127.0.0.1)`;
const LOG_AND_TLS = `  LOG_LEVEL                      silent, error, warn (refusals), info     info
  TLS_CERT_FILE, TLS_KEY_FILE    PEM files: serve HTTPS
  TLS_GENERATE                   true: HTTPS with a certificate made now  false`;
const CORS = `  CORS_ALLOW_ORIGIN              let pages of that origin in, * for any   off`;
const MODEL_TARGETS = `  MODEL_TARGET_CLIENT_ID, MODEL_TARGET_CLIENT_SECRET                      client-id, client-secret
  MODEL_TARGET_USERNAME, MODEL_TARGET_PASSWORD                            user@example.com, password
  MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED                                false`;

/** The help of each command; `mock-cloud-reco --help` shows the first. */
export const HELP = {
  general: `mock-cloud-reco: the Vuforia cloud recognition services as local HTTP servers, for tests

Usage:
  mock-cloud-reco serve [options]            all three servers in one process, with a first database
  mock-cloud-reco target-manager [options]   the server that holds the state: databases, targets, credentials
  mock-cloud-reco target-api [options]       the target API and the Model Target API
  mock-cloud-reco query [options]            the query API
  mock-cloud-reco healthcheck [url]          exit code 0 when a server answers

  mock-cloud-reco <command> --help           options and settings of a command
  mock-cloud-reco --version

Exit codes: 0 stopped or healthy, 1 failed or not healthy, 2 a wrong option, setting or seed file.

Try it:
  npx mock-cloud-reco serve
`,

  serve: `mock-cloud-reco serve: all three servers in one process

It prints the URLs and the keys of a first database, and runs until it is stopped (Ctrl+C). The state is in memory.

Options:
  --target-port N    port of the target API       (default: the system chooses)
  --query-port N     port of the query API        (default: the system chooses)
  --manager-port N   port of the target manager   (default: the system chooses)
  --host ADDRESS     address to listen on         (default: 127.0.0.1)
  --seed FILE        begin with the databases, targets and credentials of a JSON file
  --json             print the URLs and keys as one line of JSON, for scripts
  --help

Settings (environment):
  PROCESSING_TIME_SECONDS        of targets, reports and datasets         2.0
  TARGET_RATER                   brisque, perfect, random                 brisque
  QUERY_IMAGE_MATCHER            exact, structural_similarity             structural_similarity
  DUPLICATES_IMAGE_MATCHER       exact, structural_similarity             structural_similarity
  RESPONSE_DELAY_SECONDS         before every answer but the manager's    0.0
  SERVICE_PROFILE                neutral, vuforia                         neutral
  QUERY_CONTENT_ENCODING         gzip, identity                           gzip
  SERVICE_BASE_URL               of report downloads                      the target API's URL
${MODEL_TARGETS}
  HOST, SEED_FILE                like --host and --seed
${LOG_AND_TLS}
${CORS}
`,

  "target-manager": `mock-cloud-reco target-manager: the server that holds the state

Options:
${PORT_AND_HOST}
  --seed FILE      begin with the databases, targets and credentials of a JSON file
  --help

Settings (environment):
  PORT, HOST, SEED_FILE          like the options
  TARGET_RATER                   brisque, perfect, random                 brisque
${LOG_AND_TLS}
${CORS}

It needs no authentication: keep it on loopback or in a private network.
`,

  "target-api": `mock-cloud-reco target-api: the target API and the Model Target API

Options:
${PORT_AND_HOST}
  --help

Settings (environment):
  TARGET_MANAGER_BASE_URL        required, such as http://localhost:5000
  PROCESSING_TIME_SECONDS        of targets, reports and datasets         2.0
  DUPLICATES_IMAGE_MATCHER       exact, structural_similarity             structural_similarity
  RESPONSE_DELAY_SECONDS         before every answer                      0.0
  SERVICE_PROFILE                neutral, vuforia                         neutral
  SERVICE_BASE_URL               of report downloads                      https://vws.vuforia.com
${MODEL_TARGETS}
  PORT, HOST                     like the options
${LOG_AND_TLS}
  TARGET_MANAGER_CERT_FILE       PEM file: trust this manager
${CORS}
`,

  query: `mock-cloud-reco query: the query API

Options:
${PORT_AND_HOST}
  --help

Settings (environment):
  TARGET_MANAGER_BASE_URL        required, such as http://localhost:5000
  QUERY_IMAGE_MATCHER            exact, structural_similarity             structural_similarity
  RESPONSE_DELAY_SECONDS         before every answer                      0.0
  SERVICE_PROFILE                neutral, vuforia                         neutral
  QUERY_CONTENT_ENCODING         gzip, identity                           gzip
  PORT, HOST                     like the options
${LOG_AND_TLS}
  TARGET_MANAGER_CERT_FILE       PEM file: trust this manager
${CORS}
`,

  healthcheck: `mock-cloud-reco healthcheck [url]: asks a server whether it answers

Any answer of 2xx, 401, 403 or 404 is healthy: exit code 0. Everything else, and no answer in 5 seconds, is 1.
Without a url: the server of this environment, at PORT (5000) and HOST (127.0.0.1).
`,
} as const;

export type Topic = keyof typeof HELP;
