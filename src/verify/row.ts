import type { HeaderList } from "../emulator/message.ts";
import { PROFILE_NAMES, type ProfileName, profiles } from "../emulator/profiles.ts";
import {
  assumed,
  documented,
  type Expected,
  type Fact,
  type FactApi,
  observed,
  type RequestParts,
  recorded,
  type Situation,
  slug,
} from "./fact.ts";

/** What is special about a request: changes one that is right in every point. */
export type Change<Request> = (request: Request, at: Situation) => void;

/** What comes back: the name of a usual response of the API, a response, or one by profile. */
export type Answer =
  | string
  | Expected
  | ((at: Situation) => Expected)
  | Readonly<Record<ProfileName, string | Expected>>;

/** What a fact needs besides; what is left out follows from its request. */
type Besides = Omit<Fact, "id" | "api" | "sentence" | "request" | "expected"> & {
  /** Joined to the expected response. */
  readonly alsoExpected: Partial<Expected>;
};
export type More = { readonly [Key in keyof Besides]?: Besides[Key] | undefined };

/**
 * One fact: the route, what is special about the request, the answer, and then the changes that make the request so and what
 * the fact needs besides, in any number. The words become the id and the sentence. Or they are both, as in
 * `query-string: ignores a query string`: a sentence that continues the route, unless it begins with a capital letter.
 */
export type Row<Request> = readonly [
  on: string,
  what: string,
  answer: Answer,
  ...special: readonly (Change<Request> | More)[],
];

export const RECORDED: More = { known: recorded };
export const DOCUMENTED: More = { known: documented };
export const ASSUMED: More = { known: assumed };

/** Facts of one kind, by the check that refuses their requests; `served`: none does. */
export interface Table<Request> {
  /** What the ids begin with. */
  readonly ids: string;
  /** Ids have the place of the check, and the route unless it is this one. */
  readonly usualRoute?: string;
  /** What the sentences begin with, instead of the route. */
  readonly about?: string;
  /** Of every row. */
  readonly more?: More;
  readonly rows: Readonly<Record<string, readonly Row<Request>[]>>;
}

/** The requests of one API. */
export interface Kind<Request> {
  readonly api: FactApi;
  /** The route, as sentences name it. */
  readonly about: (on: string) => string;
  /** A request that is right in every point. */
  readonly right: (on: string, at: Situation) => Request;
  readonly written: (request: Request, at: Situation) => RequestParts;
  /** What a request needs of the service, unless its row says otherwise. */
  readonly needs: (
    on: string,
    check: string | undefined,
    more: More,
  ) => Pick<Fact, "needs" | "uses" | "database">;
  readonly named: (answer: string, at: Situation) => Expected;
  /** Completes a response with what all responses of the API have. */
  readonly complete?: (expected: Expected, at: Situation) => Expected;
}

/** A row with its check and the place of that. */
export interface PlacedRow<Request> {
  readonly check: string | undefined;
  readonly place: number;
  readonly on: string;
  readonly what: string;
  readonly answer: Answer;
  readonly change: Change<Request>;
  readonly more: More;
}

export const SERVED = "served";

export const rowsOf = <Request>({ rows, more: ofAll }: Table<Request>): readonly PlacedRow<Request>[] =>
  Object.entries(rows).flatMap(([check, own], index) =>
    own.map(([on, what, answer, ...special]) => {
      const changes = special.filter((one) => typeof one === "function");
      const needs = special.filter((one) => typeof one === "object");
      return {
        ...{ check: check === SERVED ? undefined : check, place: index, on, what, answer },
        ...{ change: all(...changes), more: Object.assign({}, ofAll, ...needs) },
      };
    }),
  );

/** @param checks - those that refuse the request. */
const expectedBy =
  <Request>(
    kind: Kind<Request>,
    answer: Answer,
    alsoExpected: More["alsoExpected"],
    ...checks: readonly (string | undefined)[]
  ): Fact["expected"] =>
  (at) => {
    const given = typeof answer === "function" ? answer(at) : answer;
    const chosen = typeof given === "string" || "status" in given ? given : given[at.profile.name];
    const expected = typeof chosen === "string" ? kind.named(chosen, at) : chosen;
    const all = { ...(kind.complete?.(expected, at) ?? expected), ...alsoExpected };
    // Over a socket, no request can follow a body of another length than announced.
    const headers = checks.includes("contentLengthFits") ? all.headers?.map(anyConnection) : all.headers;
    return { ...all, ...(headers !== undefined && { headers }) };
  };

const anyConnection = ([name, value]: HeaderList[number]): HeaderList[number] =>
  value === "keep-alive" ? [name, "<connection>"] : [name, value];

/** Joins changes of one request. */
export const all =
  <Request>(...changes: readonly Change<Request>[]): Change<Request> =>
  (request, at) => {
    for (const change of changes) change(request, at);
  };

/** The request to a route with a change. */
export const requestTo =
  <Request>(kind: Kind<Request>, on: string, ...changes: readonly Change<Request>[]): Fact["request"] =>
  (at) => {
    const request = kind.right(on, at);
    for (const change of changes) change(request, at);
    return kind.written(request, at);
  };

/** The facts of a table. Texts that have no words to make an id of get the number of their case. */
export function factsOf<Request>(kind: Kind<Request>, table: Table<Request>): Fact[] {
  const counts = new Map<string, number>();
  return rowsOf(table).map((row): Fact => {
    const { check, place, on, what, answer, change } = row;
    const { alsoExpected, ...more } = row.more;
    const [, named = what, says] = /^([a-z0-9-]+): (.*)$/s.exec(what) ?? [];
    const words = [table.ids, ...(table.usualRoute === undefined ? [] : [place]), named];
    const isElsewhere = table.usualRoute !== undefined && table.usualRoute !== on;
    const plain = slug([...words, ...(isElsewhere ? [on] : [])].join(" "));
    const count = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, count);
    const expected = expectedBy(kind, answer, alsoExpected, check);
    const about = table.about ?? kind.about(on);
    return factOf({
      id: count === 1 ? plain : `${plain}-${count}`,
      api: kind.api,
      sentence:
        says === undefined
          ? `${about} with ${named} is answered with ${shown(expected)}.`
          : `${/^[A-Z]/.test(says) ? "" : `${about} `}${says}.`,
      known: observed,
      ...(check !== undefined && { check }),
      ...kind.needs(on, check, more),
      ...more,
      request: requestTo(kind, on, change),
      expected,
    });
  });
}

/** Drops what is undefined: a row takes back what its table gives. */
const factOf = (fact: { readonly [Key in keyof Fact]: Fact[Key] | undefined }): Fact =>
  Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined)) as unknown as Fact;

/** Which of two checks comes first: a request that both refuse is answered as by the first one. */
export function orderFacts<Request>(
  kind: Kind<Request>,
  table: Table<Request>,
  pairs: readonly (readonly [on: string, first: string, second: string])[],
): Fact[] {
  const rows = rowsOf(table);
  const find = (on: string, words: string): PlacedRow<Request> => {
    const named = rows.filter(({ what }) => what === words);
    const found = named.find((row) => row.on === on) ?? named[0];
    if (found === undefined) throw new Error(`no row about ${words}`);
    return found;
  };
  return pairs.map(([on, one, other]): Fact => {
    const [first, second] = [find(on, one), find(on, other)];
    const { alsoExpected, ...more } = { ...second.more, ...first.more };
    const database = { ...second.more.database, ...first.more.database };
    const isOther = first.more.database !== undefined || second.more.database !== undefined;
    const needed = { ...more, ...(isOther && { database }) };
    const checks = [first.check, second.check];
    const named = checks.includes("knownTarget") ? "knownTarget" : first.check;
    const known = [first, second]
      .map(({ more }) => more.known ?? observed)
      .find(({ by }) => by === "assumed");
    const expected = expectedBy(kind, first.answer, alsoExpected, ...checks);
    return factOf({
      ...needed,
      id: slug(`${table.ids} order ${first.place} ${second.place}`),
      api: kind.api,
      sentence: `${table.about ?? kind.about(on)} with ${one} and ${other} is answered with ${shown(expected)}: ${checks.join(" comes before ")}.`,
      known: known ?? observed,
      ...(first.check !== undefined && { check: first.check }),
      ...kind.needs(on, named, needed),
      // The later check's first, so that it does not undo what the earlier one refuses.
      request: requestTo(kind, on, all(second.change, first.change)),
      expected,
    });
  });
}

/** A response in words, by profile where that matters. */
function shown(expected: Fact["expected"]): string {
  const words = PROFILE_NAMES.map((name) => inWords(expected(sampleOf(name))));
  return new Set(words).size === 1 ? words.slice(1).join("") : `${words.join(", or ")}, by profile`;
}

const sampleOf = (name: ProfileName): Situation => ({
  ...{ profile: profiles[name], now: new Date(0), keys: {}, token: "{token}" },
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
