import { isDeepStrictEqual } from "node:util";
import type fc from "fast-check";
import {
  authorizationHeader,
  type FaultHandle,
  type MockCloudDatabase,
  rfc1123Date,
  type Snapshot,
} from "mock-cloud-reco";
import type { OpenPage, SeenRequest, World } from "./environments.ts";
import { isUsedUp, type Model } from "./model.ts";
import type { Entry, Keys } from "./state.ts";

/** The real emulator, and what its methods returned. */
export interface Real {
  /** Another one after a restart. */
  world: World;
  readonly snapshots: Snapshot[];
  readonly faults: Map<number, FaultHandle>;
  readonly handles: Map<number, MockCloudDatabase>;
  /** Running isolated calls, in the order of the model's: how to run a command in one, and how to end it. */
  readonly calls: { readonly run: (command: () => Promise<void>) => Promise<void>; end(): Promise<void> }[];
  /** In the order of the model's. */
  readonly flights: RealFlight[];
  page?: OpenPage | undefined;
}

export interface Answer {
  readonly status: number;
  readonly json: Json;
}

interface RealFlight {
  readonly answer: Promise<Answer>;
  readonly expect: (answer: Answer) => void;
  /** Lets it go on, if it waits. */
  readonly land: () => void;
}

export type Command = fc.AsyncCommand<Model, Real>;

export type Json = Readonly<Record<string, unknown>>;

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}; got ${JSON.stringify(actual)}`);
}

/** A command that runs in the innermost isolated call; afterwards, all views must be those of the model. */
export const command = (
  text: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
  { sendsNothing = false } = {},
): Command => ({
  check: (model: Model) => (sendsNothing || model.isKnown) && check(model),
  toString: () => text,
  run: async (model, real) => {
    // Not the same call in both: it may begin or end in between.
    await inCall(model, real, () => run(model, real));
    await inCall(model, real, () => expectSameViews(model, real));
  },
});

const inCall = ({ index }: Model, { calls }: Real, step: () => Promise<void>): Promise<void> =>
  calls[index - 1]?.run(step) ?? step();

const shownEntry = ({ operation, refused, fault }: Pick<Entry, "operation" | "refused" | "fault">) =>
  `${operation}${refused ? " refused" : ""}${fault ? " fault" : ""}`;

interface ListedFault {
  readonly operation: readonly string[];
  readonly times_applied: number;
}

/** Queries may be held, targets added at once, and the manager asked while a request is on its way. */
const mayOvertake = ({ api, operation }: SeenRequest): boolean =>
  api === "manager" || operation === "query" || operation === "addTarget";

async function expectSameViews(model: Model, real: Real): Promise<void> {
  const { world, faults } = real;
  const { journal } = model.state;
  if (model.isKnown) {
    const listed = await manage<readonly ListedFault[]>(real, "GET", "/faults");
    expectSame(
      listed.map(({ operation, times_applied }) => [operation[0], times_applied]),
      model.state.faults
        .filter((fault) => !isUsedUp(fault))
        .map(({ operation, applied }) => [operation, applied]),
      "faults",
    );
  }
  for (const { key, id, applied } of model.state.faults)
    if (id === "") expectSame(faults.get(key)?.timesApplied, applied, "timesApplied of a fault");

  const seen = await world.seen(journal.length);
  const own = seen.filter(({ api }) => api !== "manager").map(shownEntry);
  // Those that were sent at once, in any order.
  for (let start = 0; start < journal.length; ) {
    const { together } = journal[start] ?? { together: 0 };
    const end = start + journal.slice(start).filter((entry) => entry.together === together).length;
    own.splice(start, end - start, ...own.slice(start, end).sort());
    start = end;
  }
  expectSame(own, sortedTogether(journal), "journal");
  const numbers = seen.map(({ number }) => number);
  expectSame(new Set(numbers).size, numbers.length, "different numbers in the journal");
  const inOrder = seen.filter((each) => !mayOvertake(each)).map(({ number }) => number);
  const sorted = inOrder.toSorted((one, other) => one - other);
  expectSame(inOrder, sorted, "numbers in the order of arrival");
  const { control, mock } = world;
  if (control === undefined || mock === undefined) return;
  const requests = control.requests.filter(({ api }) => api !== "manager");
  expectSame(
    [mock.unexpectedRefusals(requests).length, mock.missingRefusals(requests).length],
    [model.unexpected.length, model.missing.length],
    "refusals, unexpected and missing",
  );
}

function sortedTogether(journal: readonly Entry[]): readonly string[] {
  const groups = new Map<number, string[]>();
  for (const entry of journal)
    groups.set(entry.together, [...(groups.get(entry.together) ?? []), shownEntry(entry)]);
  return [...groups.values()].flatMap((group) => group.sort());
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function send(
  { world: { send: fetch, urls } }: Real,
  {
    server_access_key,
    server_secret_key,
    client_access_key = "",
    client_secret_key = "",
  }: Partial<Keys> & Pick<Keys, "server_access_key" | "server_secret_key">,
  { method, path, body, headers }: Request,
  now: number,
): Promise<Answer> {
  const form = body instanceof FormData ? new Response(body) : undefined;
  const contentType = form?.headers.get("content-type") ?? (body && "application/json") ?? "";
  const bytes = form ? new Uint8Array(await form.arrayBuffer()) : body && JSON.stringify(body);
  const date = rfc1123Date(new Date(now));
  const [accessKey, secretKey] = form
    ? [client_access_key, client_secret_key]
    : [server_access_key, server_secret_key];
  const signed = { method, path, date, contentType, ...(bytes && { body: bytes }) };
  const authorization = authorizationHeader({ accessKey, secretKey, ...signed });
  const response = await fetch((form ? urls.query : urls.target) + path, {
    method,
    headers: { authorization, date, ...headers, ...(bytes && { "content-type": contentType }) },
    ...(bytes && { body: bytes }),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : {} };
}

/** Sends a request to the target manager, which must succeed. */
export async function manage<Fields>(
  { world: { send: fetch, urls } }: Real,
  method: string,
  path: string,
  body?: object,
): Promise<Fields> {
  const response = await fetch(urls.manager + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`manager ${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text === "" ? "null" : text);
}

/** That of every fault of a program. */
export const FAULT_STATUS = 503;

export const of = <Each>(list: readonly Each[], index: number): Each => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("the list is empty");
  return found;
};

export const always = (): boolean => true;
