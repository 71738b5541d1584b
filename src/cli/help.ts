import type { Role } from "../servers/option-settings.ts";
import { settingsOf } from "../servers/settings.ts";

/** Options of several commands. */
const PORT_AND_HOST = `  --port N         port to listen on      (default: 5000)
  --host ADDRESS   address to listen on   (default: 127.0.0.1)`;

/** The settings that a command reads from the environment, one paragraph each. */
function settingsHelp(command: Role | "serve"): string {
  const paragraphs = settingsOf(command).map(
    ({ name, purpose, expected, unlessGiven }) =>
      `  ${name}   (default: ${unlessGiven})\n      ${purpose}: ${expected}`,
  );
  return `Settings (environment):\n${paragraphs.join("\n")}`;
}

/** The help of each command; `mock-cloud-reco --help` prints the first. */
export const HELP = {
  general: `mock-cloud-reco: the Vuforia cloud recognition services as local HTTP servers, for tests

Usage:
  mock-cloud-reco serve [options]            all three servers in one process, with a first database
  mock-cloud-reco target-manager [options]   the server that holds the state: databases, targets, credentials
  mock-cloud-reco target-api [options]       the target API and the Model Target API
  mock-cloud-reco query [options]            the query API
  mock-cloud-reco openapi [options]          print the OpenAPI document of the four APIs
  mock-cloud-reco picture <n>                print a picture for tests
  mock-cloud-reco healthcheck [url]          exit with code 0 if a server responds

  mock-cloud-reco <command> --help           options and settings of a command
  mock-cloud-reco --version

Exit codes: 0 stopped or healthy; 1 failed or not healthy; 2 invalid option, setting or seed file.

Try it:
  npx mock-cloud-reco serve
`,

  serve: `mock-cloud-reco serve: all three servers in one process

Prints the URLs and the keys of a first database, and runs until you stop it (Ctrl+C). State is kept in memory.

Options:
  --target-port N    port of the target API       (default: any free port)
  --query-port N     port of the query API        (default: any free port)
  --manager-port N   port of the target manager   (default: any free port)
  --host ADDRESS     address to listen on         (default: 127.0.0.1)
  --seed FILE        start with the databases, targets and credentials in a JSON file
  --json             print the URLs and keys as one line of JSON, for scripts
  --open             open the web page in the browser
  --no-ui            do not serve the web page
  --help

${settingsHelp("serve")}
`,

  "target-manager": `mock-cloud-reco target-manager: the server that holds the state

Options:
${PORT_AND_HOST}
  --seed FILE      start with the databases, targets and credentials in a JSON file
  --help

${settingsHelp("target-manager")}

It has no authentication: keep it on loopback or a private network.
`,

  "target-api": `mock-cloud-reco target-api: the target API and the Model Target API

Options:
${PORT_AND_HOST}
  --help

${settingsHelp("target-api")}
`,

  query: `mock-cloud-reco query: the query API

Options:
${PORT_AND_HOST}
  --help

${settingsHelp("query")}
`,

  openapi: `mock-cloud-reco openapi: prints the OpenAPI document of the four APIs to standard output

Options:
  --profile NAME   neutral, vuforia   (default: neutral)
  --help
`,

  picture: `mock-cloud-reco picture <n>: prints a picture for tests to standard output

Every whole number n has its own picture, the same each time. The default matcher matches it with no other picture, and the
default rater gives it 4 or 5. "flat" instead of a number is a picture of one colour, whose target fails.

Options:
  --format NAME    jpeg, png                (default: jpeg)
  --width N        pixels, from 192 to 1280 (default: 320)
  --height N       pixels, from 192 to 1280 (default: 240)
  --help

Try it:
  npx mock-cloud-reco picture 1 > poster.jpg
`,

  healthcheck: `mock-cloud-reco healthcheck [url]: checks whether a server responds

Exits with code 0 on a 2xx, 401, 403 or 404 response; with 1 on any other response, or none within 5 seconds.
Without a URL it checks the server that this environment configures: HOST (127.0.0.1) and PORT (5000).
`,
} as const;
