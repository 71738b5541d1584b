import { HEADER_TOO_LARGE_PAGE, LOAD_BALANCER_PAGE } from "../apis/signed/responses.ts";
import type { HeaderList } from "../emulator/message.ts";
import { type Profile, REGIONS } from "../emulator/profiles.ts";
import type { Expected, NeededTarget, Situation } from "./fact.ts";
import { type Draft, draftOf, routeOf, written } from "./requests.ts";
import type { Kind } from "./row.ts";

/** The headers of every JSON response of the target API. */
export const jsonHeaders = (
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
  "long header": () => ({
    status: 400,
    headers: Object.entries({ Server: "nginx", "Content-Type": "text/html", Connection: "close" }),
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
    headers: Object.entries({ "Content-Type": "text/plain", server: "envoy", Connection: "close" }),
    body: "stream timeout",
  }),
  "over the limit": ({ rateLimitedHeader, upstreamTimeHeader }) => ({
    status: 429,
    headers: [[rateLimitedHeader, "true"], [upstreamTimeHeader, "<integer>"], ...ENVOY],
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
  complete: (expected) => expected,
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
