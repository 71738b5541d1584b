import { fault, refusal, remark } from "./row.ts";
import { usedUp } from "./targets.ts";

const toAllow = (setting: string | undefined): string =>
  setting === undefined ? "" : `; to allow it, set ${setting}`;

/** The target manager. */
export const managerCauses = {
  "fields.refused": refusal<{
    readonly errors: readonly {
      readonly field: string;
      readonly message: string;
      readonly accepted: string;
    }[];
    readonly more: number;
  }>(
    "The body has invalid fields.",
    ({ errors, more }) =>
      [
        ...errors.map(({ message, accepted }) => `${message}; expected ${accepted}`),
        ...(more > 0 ? [`And ${more} more`] : []),
      ].join(". "),
    "Correct the fields that are named.",
    'POST /cloud_databases\n\n{"request_quota": "many"}',
  ),
  "database.unknown": refusal<{ readonly type: string; readonly name: string }>(
    "The database does not exist.",
    ({ type, name }) => `there is no ${type} with the name ${name}`,
    "Use the name of a database that exists.",
    "DELETE /cloud_databases/unknown",
  ),
  "database.taken": refusal<{ readonly field: string }>(
    "Another database has the name, the id or a key.",
    ({ field }) => `another database has the same ${field}`,
    "Choose another value, or let the manager generate it.",
    "POST /cloud_databases with the name of another database",
  ),
  "target-id.taken": refusal<{ readonly id: string }>(
    "Another target has, or had, the id.",
    ({ id }) => `The database has, or had, a target with the id ${id}.`,
    "Choose another id, or let the manager generate it.",
    "POST /cloud_databases/{database_name}/targets with the id of another target",
  ),
  "resource.unknown": refusal<{ readonly type: string; readonly id: string }>(
    "The fault, dataset, credential or other resource does not exist.",
    ({ type, id }) => `there is no ${type} ${id}`,
    "Use the id of one that exists.",
    "DELETE /faults/unknown",
  ),
};

/** Connections, servers and paths. */
export const serverCauses = {
  "path.unknown": refusal<{
    readonly method: string;
    readonly path: string;
    /** The most similar route. */
    readonly nearest?: string | undefined;
  }>(
    "Nothing is served at the path.",
    ({ method, path, nearest }) =>
      `correct the path: nothing is served at ${method} ${path}${nearest === undefined ? "" : `; the nearest route is ${nearest}`}`,
    "Correct the path.",
    "GET /target",
  ),
  "path.other-api": refusal<{
    readonly method: string;
    readonly path: string;
    readonly api: string;
    readonly option: string;
    /** The methods that the path supports there, if not this one. */
    readonly accepted?: string;
  }>(
    "The host of another API serves the path.",
    ({ method, path, api, option, accepted }) =>
      `send ${accepted === undefined ? "it" : `${accepted} ${path}`} to the base URL of the ${api} (option ${option}): this host does not serve ${method} ${path}`,
    "Send the request to the base URL of the API that serves it.",
    "POST /v1/query to the host of the target API",
  ),
  "method.unknown": refusal<{ readonly path: string; readonly method: string; readonly accepted: string }>(
    "The path does not support the method.",
    ({ path, method, accepted }) => `use ${accepted}: ${path} does not support the method ${method}`,
    "Use a method that the path supports.",
    "PATCH /targets",
  ),
  "preflight.unserved": refusal(
    "A browser, or a DOM environment, asks whether it may send a request.",
    () =>
      'run the test in the node environment ("// @vitest-environment node", "/** @jest-environment node */"): the request is a CORS ' +
      "preflight, which the service does not serve; browsers and DOM environments (jsdom, happy-dom) send it",
    "Run the test in the node environment: the service answers no browsers.",
    "OPTIONS /targets\nAccess-Control-Request-Method: GET",
  ),
  "http.malformed": refusal(
    "The request is not valid HTTP/1.1.",
    () => "malformed HTTP/1.1 request",
    "Send HTTP/1.1, with no bytes before the request line.",
    "Bytes that are no HTTP request",
  ),
  "http.unended": refusal(
    "The client stopped within the headers.",
    () => "end the headers with an empty line: the client stopped within them",
    "End the headers with an empty line.",
    "GET /targets, ended before the empty line after its headers",
  ),
  "bytes.left-over": refusal<{ readonly request: string; readonly isSure: boolean }>(
    "The bytes are the rest of an earlier request.",
    ({ request, isSure }) =>
      `announce the whole body, and send it without a pause: the bytes ${isSure ? "are" : "may be"} the rest of ${request}`,
    "Announce the whole body in Content-Length, and send it without a pause.",
    "Bytes that follow a request whose Content-Length was too small",
  ),
  "server.overloaded": refusal(
    "The server already holds as many requests, or bytes of bodies, as it can.",
    () => "send fewer requests at once, or retry: the server holds 1,000 requests and 512 MiB of bodies",
    "Send fewer requests at once, or retry.",
    "GET /targets, while a server answers 1,000 other requests",
  ),
  "host.untrusted": refusal<{ readonly host: string; readonly setting?: string | undefined }>(
    "The request reaches the manager under an untrusted host name.",
    ({ host, setting }) => `the Host ${host} is not a private-network name${toAllow(setting)}`,
    "Allow the host name in the manager's settings.",
    "GET /requests of the manager\nHost: example.com",
  ),
  "origin.untrusted": refusal<{
    readonly origin?: string;
    /** The header Sec-Fetch-Site. */
    readonly site?: string;
    readonly setting?: string | undefined;
  }>(
    "The request comes from a web page of another origin.",
    ({ origin, site, setting }) =>
      `the request comes from a page of another origin${origin === undefined ? `: Sec-Fetch-Site is ${site}` : `, ${origin}`}${toAllow(setting)}`,
    "Allow the page's origin in the manager's settings.",
    "GET /requests of the manager\nOrigin: https://example.com",
  ),
  "connection.refused": refusal<{ readonly message: string }>(
    "The mock cannot answer the connection.",
    ({ message }) => message,
    "Create the client after the mock, or let the mock intercept sockets; the message says which.",
    "GET /targets over a connection that cannot be answered",
  ),
  "emulator.failed": refusal<{ readonly error: string; readonly isServer?: boolean }>(
    "A function of the test, or the emulator itself, failed.",
    ({ error, isServer }) => (isServer === true ? error : `the request failed: ${error}`),
    "Correct the function of the test that threw: a clock, matcher, rater or `when`.",
    "POST /v1/query of a mock whose own matcher throws",
  ),
  "decoder.failed": refusal<{ readonly error: string }>(
    "The server's image decoder failed.",
    ({ error }) => error,
    "Send the request again; if it fails again, give the server more memory.",
    "POST /targets of a server whose image decoder ended",
  ),
  "manager.unreachable": refusal<{ readonly error: string }>(
    "The server's state is unavailable.",
    ({ error }) => error,
    "Start the target manager, or correct its URL in the settings of the server.",
    "GET /targets of a server whose target manager has stopped",
  ),
};

type Added = {
  /** Where the test added it, as `file:line`. */
  readonly place?: string | undefined;
  readonly times?: number | undefined;
  /** The status, and the result code. */
  readonly answer?: string | undefined;
  readonly isReset?: boolean | undefined;
  readonly seconds?: number | undefined;
  readonly isExecuted?: boolean | undefined;
};

const added = ({ place, times, answer, isReset, seconds = 0, isExecuted }: Added): string =>
  [
    ...(answer === undefined ? [] : [`answered with ${answer}`]),
    ...(isReset === true ? ["the connection was reset"] : []),
    ...(seconds > 0 ? [`the response was delayed by ${seconds} s`] : []),
    ...(isExecuted === true ? ["the request was executed"] : []),
  ].join(", ") +
  (place === undefined ? "" : `, by the fault that was added at ${place}`) +
  (times === undefined ? "" : ` (times: ${times})`);

const EXPECTED_FAULT =
  "Nothing, if the test expects it; otherwise remove the fault, or narrow what it applies to.";

/** Faults that a test adds or an option configures. */
export const faultCauses = {
  "fault.answered": fault<Added>(
    "A fault of the test answered.",
    added,
    EXPECTED_FAULT,
    "GET /targets after addFault({ response: { status: 503 } })",
  ),
  "fault.reset": fault<Added>(
    "A fault of the test reset the connection.",
    added,
    EXPECTED_FAULT,
    "GET /targets after addFault({ resetConnection: true })",
  ),
  "fault.delayed": fault<Added>(
    "A fault of the test delayed the response.",
    added,
    EXPECTED_FAULT,
    "GET /targets after addFault({ delaySeconds: 1 })",
  ),
  "fault.query": fault<{ readonly status: number }>(
    "The option cloudQueryFailure answered.",
    ({ status }) => `every query fails with ${status}, as the option cloudQueryFailure says`,
    "Remove the option cloudQueryFailure.",
    "POST /v1/query of a mock with cloudQueryFailure",
  ),
  "fault.instance": fault<{ readonly result: string }>(
    "The option instanceGenerationFailure answered.",
    ({ result }) => `instanceGenerationFailure is configured as ${result}`,
    "Remove the option instanceGenerationFailure.",
    "POST /targets/{id}/instances of a mock with instanceGenerationFailure",
  ),
  "fault.model-target": fault<{ readonly phases: string }>(
    "The option modelTargetFailure answered.",
    ({ phases }) => `the option modelTargetFailure answers every request of the phases ${phases}`,
    "Remove the option modelTargetFailure.",
    "POST /modeltargets/datasets of a mock with modelTargetFailure",
  ),
};

type Late = {
  readonly change: string;
  /** How many seconds ago it was. */
  readonly ago: number;
  /** After how many seconds it is seen. */
  readonly after: number;
  readonly others?: number | undefined;
};

const late =
  (state: string, end: string) =>
  ({ change, ago, after, others = 0 }: Late): string =>
    `${state}: ${change} ${ago} s ago, ${end} after ${after} s${others > 0 ? `; and ${others} more` : ""} (realism)`;

const ASK_AGAIN = "Ask again later, as clients of the real service must; in a test, advance the clock.";

/** What the option `realism` changes. */
export const realismCauses = {
  "realism.not-visible": remark<Late>(
    "The request does not see a change yet.",
    late("not yet visible", "visible"),
    ASK_AGAIN,
    "GET /targets/{id} of a mock with realism, right after the add",
  ),
  "realism.still-found": remark<Late>(
    "The query still finds a target that was deleted.",
    late("still found", "gone"),
    ASK_AGAIN,
    "POST /v1/query of a mock with realism, right after the target was deleted",
  ),
  "realism.not-counted": remark<Late>(
    "The summary does not count a change yet.",
    late("not yet counted", "counted"),
    ASK_AGAIN,
    "GET /summary of a mock with realism, right after the add",
  ),
  "realism.accepted": remark<Parameters<typeof usedUp>[0]>(
    "The request was accepted above a rate limit.",
    (facts) => `${usedUp(facts)}; this one is accepted all the same (realism)`,
    "Send fewer requests: the service may refuse the next one.",
    "GET /targets of a mock with realism, above a rate limit",
  ),
  "realism.gateway": fault<{ readonly status?: number | undefined }>(
    "A gateway failed; the request was not executed.",
    ({ status }) =>
      `${status === undefined ? "the connection was reset" : `answered with ${status}`}, and the request was not executed: send it again (realism)`,
    "Send the request again, as clients of the real service must.",
    "POST /modeltargets/datasets of a mock with realism",
  ),
};
