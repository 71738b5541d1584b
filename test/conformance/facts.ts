import type { HeaderList, ProfileName } from "mock-cloud-reco";
import { answerOf } from "./answer.ts";
import { fieldsOf } from "./engine/database.ts";
import {
  type Expected,
  type Fact,
  KNOWN_BY,
  type Known,
  PROFILE_NAMES,
  type Received,
  type Situation,
} from "./engine/fact.ts";
import { requestTo, routeInWords, routeNamed } from "./request.ts";
import { type PlacedRow, ROWS } from "./rows.ts";

type Needs = Pick<Fact, "needs" | "uses" | "database">;

/** What a request needs of the service, unless its row says otherwise. */
function usualNeeds({ api, route: on, get, database, template, uses, before }: PlacedRow): Needs {
  const route = routeNamed(on);
  if (api !== "target") return { needs: isAnswer(get, route.spends_for) ? "spending" : route.needs };
  // A check of a database's settings comes before the one that looks for the target.
  const isOther = [database, template, before].some((one) => one !== undefined && one !== null);
  const usual = isOther ? undefined : route.uses;
  const needsNothing = (uses === undefined ? usual : uses) == null && before == null;
  return {
    needs: route.needs === "reading" && needsNothing ? "reading" : "writing",
    ...(usual !== undefined && { uses: usual }),
    ...(route.database !== undefined && database === undefined && { database: route.database }),
  };
}

/** Whether the real service gives an answer of this name. */
const isAnswer = (get: PlacedRow["get"], name: string | undefined): boolean =>
  name !== undefined && (typeof get === "object" && "vuforia" in get ? get.vuforia : get) === name;

/** A row is what the YAML says; a fact is the request and the response that come of it, which are tried. */
function factOf(row: PlacedRow): Fact {
  const { id, api, route: on, send = {}, get, values, continued, protocol, again, before } = row;
  const answer = (at: Situation): Expected => {
    const { headers = [], ...rest } = answerOf(get, api, at, values);
    return { ...rest, headers: row.any_connection === true ? headers.map(anyConnection) : headers };
  };
  const expected = (at: Situation): Expected => ({
    ...answer(at),
    ...(continued !== undefined && { continued }),
    ...(protocol !== undefined && { protocol }),
  });
  const given = {
    check: row.check,
    ...usualNeeds(row),
    ...presentOf({ needs: row.needs, uses: row.uses, database: row.database, template: row.template }),
    ...{ alongside: row.alongside, keys: row.keys, isUsual: row.is_usual, overTls: row.over_tls },
    byFetch: row.fetch,
    isCut: send.length?.startsWith("{length-") === true ? true : undefined,
  };
  return {
    ...{ id, api, sentence: sentenceOf(row, expected), known: knownOf(row) },
    // Null takes back what a group or a route says.
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as unknown as Pick<
      Fact,
      "needs"
    >),
    ...(before && {
      before: before.map((one) => (at: Situation) => requestTo(one.route, one.send ?? {}, at, values)),
    }),
    request: (at) => requestTo(on, send, at, values),
    ...(again && { again: (response) => isEarly(again, response) }),
    expected,
  };
}

/** Over a socket, no request can follow a body that is shorter than announced, unless the service gives it up. */
const anyConnection = ([name, value]: HeaderList[number]): HeaderList[number] => [
  name,
  value === "keep-alive" ? "<connection>" : value,
];

const presentOf = (needs: object): object =>
  Object.fromEntries(Object.entries(needs).filter(([, value]) => value !== undefined));

const isEarly = ({ status, processing }: NonNullable<PlacedRow["again"]>, response: Received): boolean =>
  response.status === status || (processing === true && fieldsOf(response).status === "processing");

function knownOf(row: PlacedRow): Known {
  const by = KNOWN_BY.find((one) => row[one] !== undefined) ?? "assumed";
  return { by, how: row[by] ?? "never attempted" };
}

/** The route, what is special about the request, and the answer; or what the row says. */
function sentenceOf(
  { about, api, route: on, words, isSaid, comesBefore }: PlacedRow,
  expected: Fact["expected"],
): string {
  const subject = about ?? (api === "query" ? "A query" : routeInWords(on));
  if (isSaid) return `${/^[A-Z]/.test(words) ? "" : `${subject} `}${words}.`;
  const order = comesBefore === undefined ? "" : `: ${comesBefore}`;
  return `${subject} with ${words} is answered with ${shown(expected)}${order}.`;
}

/** A response in words, by profile where that matters. */
function shown(expected: Fact["expected"]): string {
  const words = PROFILE_NAMES.map((name) => inWords(expected(sampleOf(name))));
  return new Set(words).size === 1 ? words.slice(1).join("") : `${words.join(", or ")}, by profile`;
}

const sampleOf = (name: ProfileName): Situation => ({
  ...{ profile: name, now: new Date(0), keys: {}, token: "{token}" },
  ...{ targetId: "{id}", targetName: "{name}", newName: "{name}" },
  named: (text) => text,
  given: (field) => `{${field}}`,
});

function inWords({ status, body }: Expected): string {
  const code = /"result_code":"(\w+)"/.exec(body)?.[1];
  if (code !== undefined) return `${code} ${status}`;
  const messages = [...body.matchAll(/"(?:message|error|error_description)":"((?:[^"\\]|\\.)*)"/g)];
  if (messages.length > 0) return `${status}: ${messages.map(([, text]) => text).join("; ")}`;
  if (body === "") return `${status} and an empty body`;
  if (/^<(!DOCTYPE )?html|^<\?xml/.test(body)) return `${status} and a page`;
  return body.startsWith("{") ? `${status}` : `${status} and the text "${body}"`;
}

/** Everything that this package claims about the APIs and that requests can show. */
export const FACTS: readonly Fact[] = ROWS.map(factOf);
