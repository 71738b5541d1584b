import { DEFAULT_PROFILE } from "../core/emulator/profiles.ts";
import { wordsOf } from "../core/schema/zod/values.ts";
import { DEFAULTS, settingsOf } from "../options/command-settings.ts";
import { type Command, PREFIX } from "../options/setting-names.ts";

const SERVERS_OPTIONS = `  --target-host ADDRESS, --query-host ADDRESS, --manager-host ADDRESS
                     address of one server, so that several can have the same port   (default: that of --host)
  --tls-ca FILE      write the certificate that clients have to trust (with --tls-generate)`;

/** In the order of the help: a setting belongs to the first group whose pattern matches. */
const GROUPS = [
  ["Address and access", /^((TARGET_|QUERY_|MANAGER_)?PORT|HOST|ALLOWED_HOSTS|UI|.*CORS_ALLOW_ORIGIN)$/],
  ["HTTPS", /^TLS_/],
  ["State", /^(TARGET_MANAGER_|STATE_|SEED_FILE$)/],
  ["Log and memory", /^LOG_|^JOURNAL_|_BYTES$/],
  ["Model Targets", /^MODEL_TARGET_/],
  ["Behaviour of the services", /^/],
] as const;

const settingGroups = (command: Command) =>
  GROUPS.map(([title]) => ({
    title,
    settings: settingsOf(command).filter(
      ({ setting }) => GROUPS.find(([, pattern]) => pattern.test(setting))?.[0] === title,
    ),
  })).filter(({ settings }) => settings.length > 0);

/** The prefix is in brackets if the name is read without it too. */
const namesOf = ([first, second]: readonly string[]): string =>
  second === undefined ? String(first) : `[${PREFIX}]${second}`;

const settingsHelp = (command: Command): string =>
  settingGroups(command)
    .map(({ title, settings }) => {
      const paragraphs = settings.map(
        ({ variables, flag, row, schema }) =>
          `  ${flag.usage}, ${namesOf(variables)}   (default: ${row.defaultWords ?? String(row.default ?? "none")})
      ${row.purpose}: ${wordsOf(schema)}\n`,
      );
      return `Settings (option, environment variable): ${title}\n${paragraphs.join("")}`;
    })
    .join("\n")
    .trimEnd();

/** Written when it is asked for: the settings of all commands would take longer than a command. */
export const HELP = {
  general: () => `mock-cloud-reco: the Vuforia cloud recognition services as local HTTP servers, for tests

Usage:
  mock-cloud-reco serve [options]            all three servers in one process, with a first database
  mock-cloud-reco exec [options] -- command  the same while a command runs, with URLs and keys in its environment
  mock-cloud-reco target-manager [options]   the server that holds the state: databases, targets, credentials
  mock-cloud-reco target-api [options]       the target API and the Model Target API
  mock-cloud-reco query [options]            the query API
  mock-cloud-reco openapi [options]          print the OpenAPI document of the four APIs
  mock-cloud-reco picture <n>                write a picture for tests to a file
  mock-cloud-reco sign <method> <path>       print a request's signature, or what is wrong with one
  mock-cloud-reco explain [code]             print what a cause's code means, and what to change
  mock-cloud-reco healthcheck [url]          exit with code 0 if a server responds

  mock-cloud-reco <command> --help           options and settings of a command
  mock-cloud-reco --version

Exit codes: 0 stopped, healthy or right; 1 failed, not healthy or wrong; 2 invalid option, setting or seed file;
exec: that of the command.

Try it:
  npx mock-cloud-reco serve
`,

  serve: () => `mock-cloud-reco serve: all three servers in one process

Prints the URLs and the keys of a first database, and runs until you stop it (Ctrl+C). State is kept in memory.

Options:
${SERVERS_OPTIONS}
  --env FILE         write the URLs and keys to a file that only you can read, as lines of NAME=value
  --json             print the URLs and keys as one line of JSON, for scripts
  --open             open the web page in the browser
  --help

Options win over variables. A prefix in brackets can be left out; if both names are set, the one with the prefix wins.

${settingsHelp("serve")}
`,

  exec: () => `mock-cloud-reco exec [options] -- command: all three servers while a command runs

Starts the servers, as serve does, and then the command, with its environment extended by
  VUFORIA_TARGET_URL, VUFORIA_QUERY_URL, VUFORIA_MANAGER_URL,
  VUFORIA_SERVER_ACCESS_KEY, VUFORIA_SERVER_SECRET_KEY, VUFORIA_CLIENT_ACCESS_KEY and VUFORIA_CLIENT_SECRET_KEY.
Forwards signals to it, stops the servers when it ends, and exits with its exit code. --log-level is warn unless given.

Options:
${SERVERS_OPTIONS}
  --help

The settings (option, environment variable) are those of serve, but each variable needs its prefix ${PREFIX}:
  mock-cloud-reco serve --help

Try it:
  npx mock-cloud-reco exec -- npm test
`,

  "target-manager": () => `mock-cloud-reco target-manager: the server that holds the state

Options:
  --help

${settingsHelp("target-manager")}

It has no authentication: keep it on loopback or a private network.
`,

  "target-api": () => `mock-cloud-reco target-api: the target API and the Model Target API

Options:
  --help

${settingsHelp("target-api")}
`,

  query: () => `mock-cloud-reco query: the query API

Options:
  --help

${settingsHelp("query")}
`,

  openapi: () => `mock-cloud-reco openapi: prints the OpenAPI document of the four APIs to standard output

Options:
  --profile NAME           neutral, vuforia   (default: ${DEFAULT_PROFILE})
  --target-url URL, --query-url URL, --manager-url URL
                           base URLs of your servers   (default: the real hosts, and http://target-manager.test)
  --model-target-url URL   (default: that of --target-url)
  --help

Try it:
  npx mock-cloud-reco openapi --target-url http://127.0.0.1:5000 --query-url http://127.0.0.1:5001 > openapi.json
`,

  picture: () => `mock-cloud-reco picture <n>: writes a picture for tests to a file, or to standard output

Every whole number n has its own picture, which shows the number and is the same each time. The default matcher matches it with no other picture, and the
default rater gives it 4 or 5. "flat" instead of a number is a picture of one colour, whose target fails.

Options:
  --format NAME    jpeg, png                (default: jpeg)
  --width N        pixels, from 192 to 1280 (default: 320)
  --height N       pixels, from 192 to 1280 (default: 240)
  --output FILE    write it to a file: > of older PowerShells damages it (default: standard output)
  --help

Try it:
  npx mock-cloud-reco picture 1 --output poster.jpg
`,

  sign: () => `mock-cloud-reco sign <method> <path>: prints how a request is signed

Prints the five signed parts, the string to sign and the headers to send. /v1/query is signed with the client keys, other paths
with the server keys. With --explain, checks a header of your client instead: if it is right, the exit code is 0; otherwise
it prints what is wrong, and the exit code is 1. Secret keys are never printed.

Options:
  --body FILE            the exact bytes of the body    (default: no body)
  --content-type TYPE    (default with a body: application/json; multipart/form-data for /v1/query)
  --date DATE            the Date header                (default: now)
  --explain HEADER       the Authorization header that your client sent with this request
  --keys FILE            read the keys from lines of NAME=value, as serve --env writes them, instead of the environment
  --help

Keys: VUFORIA_SERVER_ACCESS_KEY and VUFORIA_SERVER_SECRET_KEY, or VUFORIA_CLIENT_ACCESS_KEY and VUFORIA_CLIENT_SECRET_KEY

Try it:
  npx mock-cloud-reco sign POST /targets --body target.json --keys .env
`,

  explain: () => `mock-cloud-reco explain [code]: prints what a cause's code means

Entries of the journal name the cause of a refusal by a code, such as date.skewed; a failing test shows it in brackets at the end of a
request's line. Prints what happened, what to change, and a request that gets the code. Without a code, prints all.

Options:
  --help

Try it:
  npx mock-cloud-reco explain date.skewed
`,

  healthcheck: () => `mock-cloud-reco healthcheck [url]: checks whether a server responds

Exits with code 0 on a 2xx, 401, 403 or 404 response; with 1 on any other response, or none within 5 seconds.
Without a URL it checks the server that this environment configures: HOST (${DEFAULTS.host}) and PORT (${DEFAULTS.port}), or
MOCK_CLOUD_RECO_HOST and MOCK_CLOUD_RECO_TARGET_PORT (or TARGET_PORT) for serve.
`,
} as const;
