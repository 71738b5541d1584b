import type { Model } from "./model.ts";
import {
  type Answer,
  type Command,
  command,
  expectSame,
  FAULT_STATUS,
  type Json,
  type Real,
  type Request,
  send,
} from "./real.ts";
import type { Database, Keys } from "./state.ts";

/** What a request is, and what the model says of it once its operation runs. */
interface Expectation {
  readonly request: Request;
  readonly status: number;
  /** Changes the model, if the request succeeds. */
  readonly change?: () => void;
  /** What the response of a request that succeeds says, and what it should say. */
  readonly shows?: readonly [view: (json: Json) => unknown, wanted: unknown];
  /** Tells the model what only the response says. */
  readonly learn?: (json: Json) => void;
}

/** A request to one database. */
export interface Described {
  readonly operation: string;
  readonly database: string;
  readonly text: string;
  readonly expected: (database: Database, model: Model) => Expectation;
}

export const request = (
  operation: string,
  [database, ...details]: readonly [string, ...unknown[]],
  expected: Described["expected"],
): Described => {
  const given = [database, ...details].map((each) => JSON.stringify(each)).join(", ");
  return { operation, database, text: `${operation}(${given})`, expected };
};

export const isThere =
  ({ database }: Described) =>
  (model: Model): boolean =>
    model.database(database) !== undefined;

/** What the client of a request gets. */
interface Wanted {
  readonly operation: string;
  readonly status: number;
  readonly shows: Expectation["shows"];
}

/** A request arrives at the model, which is changed and knows the answer. */
export function arrived(
  model: Model,
  { operation, database: name, expected }: Described,
): Wanted & { readonly request: Request; readonly learn: Expectation["learn"]; readonly keys: Keys } {
  const database = model.database(name);
  if (database === undefined) throw new Error(`the model has no database ${name}`);
  const { fault, refused, runs } = model.arrive(operation, database);
  const { status: own, change, shows, learn, request } = expected(database, model);
  const result = refused ?? own;
  const isReplaced = fault === "answer" || fault === "executed";
  const isRefused = fault !== "answer" && result >= 400;
  model.record(operation, { fault, refused: isRefused ? result : undefined });
  if (runs && own < 300) change?.();
  const status = isReplaced ? FAULT_STATUS : result;
  return { operation, status, shows, learn, request, keys: database.keys };
}

export function expectAnswer({ operation, status, shows }: Wanted, answer: Answer): void {
  expectSame(answer.status, status, `status of ${operation}`);
  if (status < 300 && shows) expectSame(shows[0](answer.json), shows[1], operation);
}

export async function sendAndCompare(model: Model, real: Real, described: Described): Promise<void> {
  const { now } = model.state;
  const { keys, request: sent, learn, ...wanted } = arrived(model, described);
  const answer = await send(real, keys, sent, now);
  expectAnswer(wanted, answer);
  if (answer.status < 300) learn?.(answer.json);
}

export const answered = (described: Described, times = 1): Command =>
  command(
    `${described.text}${times > 1 ? ` ${times} times` : ""}`,
    isThere(described),
    async (model, real) => {
      for (let time = 0; time < times; time += 1) await sendAndCompare(model, real, described);
    },
  );
