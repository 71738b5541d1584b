import { HEADER_TOO_LARGE_PAGE, LOAD_BALANCER_PAGE } from "../apis/signed/responses.ts";
import type { HeaderList } from "../emulator/message.ts";
import { type Profile, REGIONS } from "../emulator/profiles.ts";
import { asciiJson } from "../emulator/text.ts";
import type { Expected, NeededTarget, Situation } from "./fact.ts";
import { type Draft, draftOf, routeOf, written } from "./requests.ts";
import type { Kind } from "./row.ts";

/** The headers of every JSON response of the target API. */
const jsonHeaders = (
  { upstreamTimeHeader, regionHeader }: Profile,
  contentType = "application/json",
): HeaderList => [
  ["Connection", "keep-alive"],
  ["Content-Type", contentType],
  ["server", "envoy"],
  [upstreamTimeHeader, "<integer>"],
  ["strict-transport-security", "max-age=31536000"],
  [regionHeader, REGIONS],
  ["x-content-type-options", "nosniff"],
  ["Date", "<date>"],
];

/** Responses of the parts in front of the service. */
const FRONT: Readonly<Record<string, (profile: Profile) => Expected>> = {
  "long header": (profile) => ({
    status: 400,
    headers: jsonHeaders(profile, "text/html"),
    body: HEADER_TOO_LARGE_PAGE.toString(),
  }),
  "not an integer": () => ({
    status: 400,
    headers: Object.entries({
      ...{ Server: "awselb/2.0", "Content-Type": "text/html" },
      ...{ Connection: "close", Date: "<date>" },
    }),
    body: LOAD_BALANCER_PAGE.toString(),
  }),
  "stream timeout": () => ({
    status: 408,
    headers: [["Content-Type", "text/plain"], ["Connection", "close"], ...ENVOY],
    body: "stream timeout",
  }),
  "over the limit": (profile) => ({
    status: 429,
    headers: [
      [profile.rateLimitedHeader, "true"],
      ...jsonHeaders(profile).filter(([name]) => name !== "Content-Type"),
    ],
    body: "",
  }),
  "unexpected body": ({ upstreamTimeHeader }) => ({
    status: 400,
    headers: [...ENVOY, [upstreamTimeHeader, "<integer>"]],
    body: "",
  }),
};
const ENVOY: HeaderList = [
  ["server", "envoy"],
  ["Date", "<date>"],
];

const READING = ["summary", "list", "get", "duplicates", "target summary"];
/** The routes that need a target in their path. */
const ON_TARGETS = ["get", "update", "delete", "duplicates", "target summary", "instance"];

export const TARGET: Kind<Draft> = {
  api: "target",
  about: routeOf,
  right: draftOf,
  written,
  needs: (on, check, { database, template, uses, before }) => {
    // A check of a database's settings comes before the one that looks for the target.
    const isOther = database !== undefined || template !== undefined || before !== undefined;
    const isInPath = ON_TARGETS.includes(on) && !isOther && check !== "knownTarget";
    const usual: NeededTarget = on === "update" || on === "delete" ? "own" : "processed";
    const isReading = READING.includes(on) && !isInPath && uses === undefined && before === undefined;
    return {
      needs: isReading ? "reading" : "writing",
      ...(isInPath && { uses: usual }),
      ...(on === "report" && database === undefined && { database: {} }),
    };
  },
  /** Named by a part in front, or by result code and status: a failure is its code and an id, and nothing else. */
  named: (answer, { profile }) => {
    const front = FRONT[answer];
    if (front !== undefined) return front(profile);
    const [code, status] = answer.split(" ");
    const body = `{"transaction_id":"<id>","result_code":"${code}"}`;
    return { status: Number(status), headers: jsonHeaders(profile), body };
  },
};

const CODE_LAST = /("transaction_id":"<id>"),("result_code":"\w+")/;

/** A response with a body, which may refer to the situation. By profile, the result code comes before the transaction id. */
export const ok =
  (body: string | ((at: Situation) => string), status = 200, contentType?: string) =>
  (at: Situation): Expected => ({
    status,
    headers: jsonHeaders(at.profile, contentType),
    body: (typeof body === "string" ? body : body(at)).replace(
      CODE_LAST,
      at.profile.successBodies === "recorded" ? "$2,$1" : "$&",
    ),
  });

/** Errors and successes have these two headers and nothing else. */
export const answered = (status: number, content: unknown, contentType = "application/json"): Expected => ({
  status,
  headers: [["Content-Type", contentType]],
  body: typeof content === "string" ? content : asciiJson(content),
});

/** A success without a body. */
export const empty = (status: number): Expected => ({ status, headers: [], body: "" });

export const MODEL_TARGET: Kind<Draft> = {
  ...TARGET,
  api: "model-target",
  needs: () => ({ needs: "reading" }),
  /** An error of the token route. */
  named: (answer) => {
    const [error, status] = answer.split(" ");
    return answered(Number(status), { error });
  },
};

/** A validation error with these messages; they may contain placeholders. */
export const validationError = (messages: readonly string[]): Expected =>
  answered(
    400,
    `{"error":{"code":"BAD_REQUEST","message":"Validation error for request <same>","target":"<same>","details":${asciiJson(
      messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
    )}}}`,
  );

/** What a body that is not an object is refused with: everything is missing. */
export const ALL_MISSING = validationError(
  ["/models", "/name", "/targetSdk"].map((path) => `${path}: element is required`),
);

export const NOT_JSON = answered(415, {
  error: { code: "ERROR", message: "Expecting text/json or application/json body" },
});

/** How a body that is not JSON is answered. */
export const invalidJson = ({ profile }: { readonly profile: Profile }): Expected =>
  profile.invalidDatasetJson === "validation"
    ? validationError(["Invalid Json: <any>"])
    : answered(400, { error: { code: "ERROR", message: "Invalid Json: <any>" } });

/** Bodies that are not JSON. */
export const NO_JSON: readonly (readonly [what: string, body: string | Buffer])[] = [
  ["an empty body", ""],
  ["a cut-off body", '{"name":'],
  ["NaN in the body", '{"name":NaN}'],
  ["a byte-order mark", "\ufeff{}"],
  ["a body that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a body of 101 levels", `${"[".repeat(101)}${"]".repeat(101)}`],
];

const notFound = (message: string, target: string): Expected =>
  answered(404, { error: { code: "NOT_FOUND", message, target } });
export const NO_CREDENTIAL = notFound("Clientcredential with ID=unknown not found", "clientcredential");
export const noDataset = (uuid: string): Expected =>
  notFound(`Could not find a model-view database with uuid ${uuid}`, "userId:<any>");
/** Of a dataset that the fact added. */
export const datasetGone = ({ given }: Situation): Expected => noDataset(given("uuid"));

export const CREATED = answered(201, '{"uuid":"<id>"}');
