import { HEADER_TOO_LARGE_PAGE, LOAD_BALANCER_PAGE } from "../apis/signed/responses.ts";
import type { HeaderList } from "../emulator/message.ts";
import { type Profile, REGIONS } from "../emulator/profiles.ts";
import { assumed, type Expected, type Fact, knownOf, type NeededTarget, observed, slug } from "./fact.ts";
import { draftOf, ON_TARGETS, type OperationName, READING, routeOf, signed } from "./requests.ts";
import type { TargetAnswer, TargetBreak } from "./target-break.ts";
import { TARGET_BREAKS, TARGET_CHECKS } from "./target-rows.ts";

/** The headers of every JSON response of the target API. */
export const jsonHeaders = ({ upstreamTimeHeader, regionHeader }: Profile): HeaderList => [
  ["Connection", "keep-alive"],
  ["Content-Type", "application/json"],
  ["server", "envoy"],
  [upstreamTimeHeader, "<integer>"],
  ["strict-transport-security", "max-age=31536000"],
  [regionHeader, REGIONS],
  ["x-content-type-options", "nosniff"],
  ["Date", "<date>"],
];

/** A failure is a transaction id and a result code, and nothing else. */
const FAILURE = '{"transaction_id":"<id>","result_code":"CODE"}';

function answer(kind: TargetAnswer, profile: Profile): Expected {
  const upstream = [profile.upstreamTimeHeader, "<integer>"] as const;
  const envoy = [
    ["server", "envoy"],
    ["Date", "<date>"],
  ] as const;
  switch (kind) {
    case "long header":
      return {
        status: 400,
        headers: [
          ["Server", "nginx"],
          ["Content-Type", "text/html"],
          ["Connection", "close"],
        ],
        body: HEADER_TOO_LARGE_PAGE.toString(),
      };
    case "length":
      return {
        status: 400,
        headers: [
          ["Server", "awselb/2.0"],
          ["Content-Type", "text/html"],
          ["Connection", "close"],
          ["Date", "<date>"],
        ],
        body: LOAD_BALANCER_PAGE.toString(),
      };
    case 408:
      return {
        status: 408,
        headers: [
          ["Content-Type", "text/plain"],
          ["server", "envoy"],
          ["Connection", "close"],
        ],
        body: "stream timeout",
      };
    case "short body": {
      // The bytes left over may cost the connection.
      const headers = jsonHeaders(profile).map(
        ([name, value]) => [name, name === "Connection" ? "<text>" : value] as const,
      );
      return { ...answer("AuthenticationFailure 401", profile), headers };
    }
    case 429:
      return { status: 429, headers: [[profile.rateLimitedHeader, "true"], upstream, ...envoy], body: "" };
    case "empty 400":
      return { status: 400, headers: [...envoy, upstream], body: "" };
    default: {
      const [code = "", status] = kind.split(" ");
      return { status: Number(status), headers: jsonHeaders(profile), body: FAILURE.replace("CODE", code) };
    }
  }
}

const SHOWN: Readonly<Record<string, string>> = {
  "long header": "nginx's page, 400",
  length: "the load balancer's page, 400",
  "short body": "AuthenticationFailure 401",
  "408": "stream timeout, 408",
  "429": "429 and an empty body",
  "empty 400": "400 and an empty body",
};
const shownAnswer = (kind: TargetAnswer): string => SHOWN[kind] ?? String(kind);

/** What an operation and a row need of the database. */
function needs(
  on: OperationName,
  breaks: readonly TargetBreak[],
): Pick<Fact, "needs" | "uses" | "alongside" | "database"> {
  const settings = breaks.flatMap(({ database }) => (database === undefined ? [] : [database]));
  const isReport = on === "report";
  const isOther = settings.length > 0 || isReport;
  // A row that a database's settings break comes before the one that looks for the target.
  const isInPath = ON_TARGETS.includes(on) && !isOther && !breaks.some(({ row }) => row === 11);
  const changes = on === "update" || on === "delete";
  const uses: NeededTarget = changes ? "own" : "processed";
  return {
    needs: READING.includes(on) && !isInPath ? "reading" : "writing",
    ...(isInPath && { uses }),
    ...(breaks.some(({ isTaken }) => isTaken) && { alongside: "processed" }),
    ...(isOther && { database: Object.assign({}, ...settings) }),
  };
}

const requestWith =
  (on: OperationName, breaks: readonly TargetBreak[]): Fact["request"] =>
  (at) => {
    const draft = draftOf(on, at);
    for (const { apply } of breaks) apply(draft, at);
    return signed(draft, at);
  };

const refusals = TARGET_BREAKS.map((one): Fact => {
  const { row, what, on, answer: kind } = one;
  const check = TARGET_CHECKS[row - 1];
  return {
    id: slug(`target ${row} ${what}${on === "summary" ? "" : ` ${on}`}`),
    api: "target",
    sentence: `${routeOf(on)} with ${what} is answered with ${shownAnswer(kind)} (row ${row}).`,
    known: knownOf(what, one.assumed),
    ...(check !== undefined && { check }),
    ...needs(on, [one]),
    request: requestWith(on, [one]),
    expected: ({ profile }) => answer(kind, profile),
  };
});

/** Rows that cannot be broken in one request: for each, the later row that it is paired with instead. */
const EXCLUSIVE: Readonly<Record<number, number>> = {
  2: 4, // without Authorization nothing is limited
  3: 13, // without Authorization there is no key or signature to be wrong
  5: 13, // without a known key there is no database to have a quota
  10: 13, // adding names no target
  14: 24, // an empty body has no fields
  15: 24, // nor has one that is not an object
  18: 20, // row 19 is of instances, which have no flag
  19: 24, // nor have they an image, name or width
  20: 22, // an image that is not base64 cannot be opened
};
/** Rows that can be broken on any operation. */
const ANYWHERE = [1, 2, 3, 4, 5, 6, 8, 9, 13];
const withBody = (on: OperationName): boolean => !READING.includes(on) && on !== "delete";
const appliesOn = ({ row, on }: TargetBreak, other: OperationName): boolean =>
  on === other ||
  ANYWHERE.includes(row) ||
  ([15, 24, 25].includes(row) && withBody(other)) ||
  (row === 11 && other === "get") ||
  (row === 12 && !withBody(other)) ||
  (row >= 17 && row <= 23 && (other === "add" || other === "update"));

function bothBroken(row: number, next: number): readonly [OperationName, TargetBreak, TargetBreak] {
  for (const first of TARGET_BREAKS.filter((one) => one.row === row)) {
    for (const second of TARGET_BREAKS.filter((one) => one.row === next)) {
      if (appliesOn(second, first.on)) return [first.on, first, second];
      if (appliesOn(first, second.on)) return [second.on, first, second];
    }
  }
  throw new Error(`no request breaks rows ${row} and ${next}`);
}

/** Which of two rows comes first: a request that breaks both is answered as the first one. */
const orders = TARGET_CHECKS.slice(0, -1).map((check, index): Fact => {
  const row = index + 1;
  const next = EXCLUSIVE[row] ?? row + 1;
  const [on, first, second] = bothBroken(row, next);
  return {
    id: `target-order-${row}-${next}`,
    api: "target",
    sentence: `${routeOf(on)} with ${first.what} and ${second.what} is answered with ${shownAnswer(first.answer)}: row ${row} comes before row ${next}.`,
    known: first.assumed === true || second.assumed === true ? assumed : observed,
    check,
    ...needs(on, [first, second]),
    request: requestWith(on, [second, first]),
    expected: ({ profile }) => answer(first.answer, profile),
  };
});

export { answer as targetAnswer };
export const TARGET_REFUSALS: readonly Fact[] = [...refusals, ...orders];
