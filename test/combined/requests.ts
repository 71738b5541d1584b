import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import {
  authorizationHeader,
  type FaultHandle,
  type MockCloudDatabase,
  rfc1123Date,
  type Snapshot,
  samplePicture,
} from "mock-cloud-reco";
import type { World } from "./environments.ts";
import type { Database, Keys, Model } from "./model.ts";

/** The real emulator, and what its methods returned. */
export interface Real {
  /** Another one after a restart. */
  world: World;
  readonly snapshots: Snapshot[];
  readonly faults: Map<number, FaultHandle>;
  readonly handles: Map<number, MockCloudDatabase>;
  /** Running isolated calls, innermost last: how to run a command in one, and how to end it. */
  readonly calls: { readonly run: (command: () => Promise<void>) => Promise<void>; end(): Promise<void> }[];
}

export type Command = fc.AsyncCommand<Model, Real>;

type Json = Readonly<Record<string, unknown>>;

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}; got ${JSON.stringify(actual)}`);
}

/** A command that runs in the innermost isolated call; afterwards, all views must be those of the model. */
export const command = (
  text: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command => ({
  check,
  toString: () => text,
  run: async (model, real) => {
    // Not the same call in both: it may begin or end in between.
    await inCall(real, () => run(model, real));
    await inCall(real, async () => expectSameViews(model, real));
  },
});

const inCall = ({ calls }: Real, step: () => Promise<void>): Promise<void> =>
  calls.at(-1)?.run(step) ?? step();

/** Compares what costs no request. */
function expectSameViews(model: Model, { world: { control, mock }, faults }: Real): void {
  for (const { key, id, applied } of model.state.faults)
    if (id === "") expectSame(faults.get(key)?.timesApplied, applied, "timesApplied of a fault");

  const shown = (operation: string | undefined, refused: boolean, fault: boolean) =>
    `${operation}${refused ? " refused" : ""}${fault ? " fault" : ""}`;
  const requests = control.requests.filter(({ api }) => api !== "manager");
  expectSame(
    requests.map(({ operation, refusedBy, fault }) =>
      shown(operation, refusedBy !== undefined, fault !== undefined),
    ),
    model.state.journal.map(({ operation, refused, fault }) => shown(operation, refused, fault)),
    "journal",
  );
  const numbers = new Set(control.requests.map(({ number }) => number));
  expectSame(numbers.size, control.requests.length, "different numbers in the journal");
  if (mock === undefined) return;
  expectSame(
    [mock.unexpectedRefusals(requests).length, mock.missingRefusals(requests).length],
    [model.unexpected.length, model.missing.length],
    "refusals, unexpected and missing",
  );
}

const images = await Promise.all([1, 2].map((number) => samplePicture(number)));
const imageOf = (index: number): Uint8Array<ArrayBuffer> => new Uint8Array(images[index] ?? []);
const base64Of = (index: number): string => Buffer.from(imageOf(index)).toString("base64");

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

async function send(
  { world: { send: fetch, urls } }: Real,
  { server_access_key, server_secret_key, client_access_key, client_secret_key }: Keys,
  { method, path, body }: Request,
  now: number,
): Promise<{ readonly status: number; readonly json: Json }> {
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
    headers: { authorization, date, ...(bytes && { "content-type": contentType }) },
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

/** What a request is, and what the model says of it once its operation runs. */
interface Expectation {
  readonly request: Request;
  readonly status: number;
  /** Changes the model, if the request succeeds. */
  readonly change?: () => void;
  /** Compares the response of a request that succeeded, if the client gets it. */
  readonly compare?: (json: Json) => void;
}

const request = (
  operation: string,
  [name, ...details]: readonly [string, ...unknown[]],
  expected: (database: Database, model: Model) => Expectation,
): Command =>
  command(
    `${operation}(${[name, ...details].map((each) => JSON.stringify(each)).join(", ")})`,
    (model) => model.database(name) !== undefined,
    async (model, real) => {
      const database = model.database(name);
      if (database === undefined) return;
      const { fault, refused, runs } = model.arrive(operation, database);
      const { status: own, change, compare, request: sent } = expected(database, model);
      const result = refused ?? own;
      const answer = await send(real, database.keys, sent, model.state.now);
      const isReplaced = fault === "answer" || fault === "executed";
      expectSame(answer.status, isReplaced ? FAULT_STATUS : result, `status of ${operation}`);
      const isRefused = fault !== "answer" && result >= 400;
      model.record(operation, { fault, refused: isRefused ? result : undefined });
      if (runs && own < 300) change?.();
      if (answer.status < 300) compare?.(answer.json);
    },
  );

/** That of every fault of a program. */
export const FAULT_STATUS = 503;

export const databaseName = fc.constantFrom("a", "a", "b");
const targetName = fc.constantFrom("x", "y", "z");
const image = fc.nat({ max: 1 });

const named = ({ targets }: Database, name: string) => targets.find((target) => target.name === name);
const UNKNOWN = "0".repeat(32);

function queryForm(index: number): FormData {
  const form = new FormData();
  form.append("image", new Blob([imageOf(index)]), "image.jpg");
  form.append("max_num_results", "50");
  return form;
}

const add = (name: string, title: string, index: number) =>
  request("addTarget", [name, title, index], (database, model) => ({
    request: {
      method: "POST",
      path: "/targets",
      body: { name: title, width: 1, image: base64Of(index) },
    },
    status: named(database, title) || database.targets.length >= database.targetQuota ? 403 : 201,
    compare: ({ target_id }) => {
      const { now } = model.state;
      database.targets.push({
        id: String(target_id),
        name: title,
        image: index,
        active: true,
        order: model.next(),
        uploaded: now,
        changed: now,
        processed: false,
        rated: false,
      });
    },
  }));

const update = (name: string, title: string, change: { name: string } | { active: boolean }) =>
  request("updateTarget", [name, title, change], (database, model) => {
    const target = named(database, title);
    const owner = "name" in change ? named(database, change.name) : undefined;
    const isTaken = owner !== undefined && owner !== target;
    const body = "name" in change ? change : { active_flag: change.active };
    return {
      request: { method: "PUT", path: `/targets/${target?.id ?? UNKNOWN}`, body },
      status: !target ? 404 : isTaken || model.status(target) === "processing" ? 403 : 200,
      change: () => {
        if (target) Object.assign(target, change, { changed: model.state.now, processed: false });
      },
    };
  });

const remove = (name: string, title: string) =>
  request("deleteTarget", [name, title], (database, model) => {
    const target = named(database, title);
    return {
      request: { method: "DELETE", path: `/targets/${target?.id ?? UNKNOWN}` },
      status: !target ? 404 : model.status(target) === "processing" ? 403 : 200,
      change: () => {
        database.targets = database.targets.filter((each) => each !== target);
      },
    };
  });

const read = (name: string, title: string) =>
  request("getTarget", [name, title], (database, model) => {
    const target = named(database, title);
    return {
      request: { method: "GET", path: `/targets/${target?.id ?? UNKNOWN}` },
      status: target ? 200 : 404,
      compare: ({ status, target_record: record }) => {
        if (!target) return;
        const { active, id } = target;
        const rating = model.isRated(target) ? 5 : -1;
        expectSame(
          [status, record],
          [
            model.status(target),
            {
              target_id: id,
              active_flag: active,
              name: title,
              width: 1,
              tracking_rating: rating,
              reco_rating: "",
            },
          ],
          "target",
        );
      },
    };
  });

const list = (name: string) =>
  request("listTargets", [name], (database, model) => ({
    request: { method: "GET", path: "/targets" },
    status: 200,
    compare: ({ results }) =>
      expectSame(
        results,
        model.sorted(database).map(({ id }) => id),
        "list",
      ),
  }));

const summary = (name: string) =>
  request("databaseSummary", [name], (database, model) => ({
    request: { method: "GET", path: "/summary" },
    status: 200,
    compare: ({ active_images, inactive_images, processing_images, target_quota }) => {
      const processed = database.targets.filter((target) => model.status(target) === "success");
      const active = processed.filter((target) => target.active).length;
      const processing = database.targets.length - processed.length;
      expectSame(
        [active_images, inactive_images, processing_images, target_quota],
        [active, processed.length - active, processing, database.targetQuota],
        "summary",
      );
    },
  }));

const duplicates = (name: string, title: string) =>
  request("getDuplicates", [name, title], (database, model) => {
    const target = named(database, title);
    return {
      request: { method: "GET", path: `/duplicates/${target?.id ?? UNKNOWN}` },
      status: target ? 200 : 404,
      compare: ({ similar_targets }) => {
        const others = model
          .sorted(database)
          .filter(
            (each) =>
              each !== target &&
              each.image === target?.image &&
              each.active &&
              model.status(each) === "success",
          );
        // Those of the same date are in the order of their ids.
        const ids = others.map(({ id }) => id).sort();
        expectSame(Array.isArray(similar_targets) && [...similar_targets].sort(), ids, "duplicates");
      },
    };
  });

const query = (name: string, index: number) =>
  request("query", [name, index], (database, model) => ({
    request: { method: "POST", path: "/v1/query", body: queryForm(index) },
    status: 200,
    compare: ({ results }) => {
      const found = Array.isArray(results) ? results.map(({ target_id }) => target_id) : results;
      expectSame(
        found,
        model.found(database, index).map(({ id }) => id),
        "query",
      );
    },
  }));

/** What faults and expected refusals may name. */
export const operationName = fc.constantFrom(
  "databaseSummary" as const,
  "databaseSummary" as const,
  "addTarget" as const,
  "listTargets" as const,
  "query" as const,
  "deleteTarget" as const,
  "updateTarget" as const,
);

export const requests: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(databaseName, targetName, image).map((given) => add(...given)),
  fc.tuple(databaseName, targetName, image).map((given) => add(...given)),
  fc
    .tuple(
      databaseName,
      targetName,
      fc.oneof(
        targetName.map((name) => ({ name })),
        fc.boolean().map((active) => ({ active })),
      ),
    )
    .map((given) => update(...given)),
  fc.tuple(databaseName, targetName).map((given) => remove(...given)),
  fc.tuple(databaseName, targetName).map((given) => read(...given)),
  fc.tuple(databaseName, targetName).map((given) => duplicates(...given)),
  fc.tuple(databaseName, image).map((given) => query(...given)),
  databaseName.map(list),
  databaseName.map(summary),
  databaseName.map(summary),
];
