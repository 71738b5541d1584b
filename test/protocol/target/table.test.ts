import type { ProfileName } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { type ClientResponse, fetchClient } from "../../support/clients.ts";
import { type Break, breaks, type Draft, type OperationName } from "./breaks.ts";
import { addProcessed, json, newTarget, PROCESSING_SECONDS, send, type TargetRequest } from "./requests.ts";

const thisMonth = (now: Date): string => now.toISOString().slice(0, 7);

const drafts: Readonly<Record<OperationName, (targetId: string, keys: DatabaseKeys, now: Date) => Draft>> = {
  add: () => ({
    method: "POST",
    path: "/targets",
    fields: newTarget({ name: "new" }),
    headers: {},
    database: {},
  }),
  update: (id) => ({ method: "PUT", path: `/targets/${id}`, fields: {}, headers: {}, database: {} }),
  get: (id) => ({ method: "GET", path: `/targets/${id}`, headers: {}, database: {} }),
  delete: (id) => ({ method: "DELETE", path: `/targets/${id}`, headers: {}, database: {} }),
  duplicates: (id) => ({ method: "GET", path: `/duplicates/${id}`, headers: {}, database: {} }),
  instance: (id) => ({
    method: "POST",
    path: `/targets/${id}/instances`,
    fields: { instance_id: "1" },
    headers: { Accept: "image/png" },
    database: {},
  }),
  list: () => ({ method: "GET", path: "/targets", headers: {}, database: {} }),
  report: (_id, { databaseId }, now) => ({
    method: "POST",
    path: `/imagetargets/databases/${databaseId}/reports/recoCounts`,
    fields: { month: thisMonth(now) },
    headers: {},
    database: {},
  }),
};

interface Situation {
  readonly service: ServiceUnderTest;
  readonly keys: DatabaseKeys;
  readonly targetId: string;
}

async function prepare(service: ServiceUnderTest): Promise<Situation> {
  const keys = await service.addCloudDatabase();
  await addProcessed(service, keys, { name: "other" });
  return { service, keys, targetId: await addProcessed(service, keys, { name: "existing" }) };
}

async function sendBroken(
  { service, keys, targetId }: Situation,
  on: OperationName,
  applied: readonly Break[],
): Promise<ClientResponse> {
  const draft = drafts[on](targetId, keys, service.clock.now());
  for (const { apply } of applied) apply(draft, keys);
  await service.updateDatabase(keys, draft.database);
  const request: TargetRequest = {
    method: draft.method,
    path: draft.path,
    body: draft.bytes ?? draft.fields,
    contentType: draft.contentType,
    date: draft.date,
    headers: draft.headers,
    ...(draft.overFetch === true && { client: fetchClient }),
  };
  return send(service, draft.wrongKey === true ? { ...keys, serverSecretKey: "wrong" } : keys, request);
}

async function expectRefusal(
  { service }: Situation,
  response: ClientResponse,
  { status, code, guard }: Break,
): Promise<void> {
  const { refusedBy, reason } = await service.latest();
  expect({ refusedBy, status: response.status }).toEqual({ refusedBy: guard, status });
  expect(reason).toMatch(/\w{3}/);
  if (code !== null) {
    expect(response.body.toString()).toMatch(
      new RegExp(`^\\{"transaction_id":"[0-9a-f]{32}","result_code":"${code}"\\}$`),
    );
  }
}

/** Rows that cannot be broken in one request, for each the later row that it is paired with instead. */
const exclusive: Readonly<Record<number, number>> = {
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

const pairs = [...new Set(breaks.map(({ row }) => row))].flatMap((row, index, rows) => {
  const next = exclusive[row] ?? rows[index + 1];
  return next === undefined ? [] : [{ row, next }];
});

const bothBroken = (row: number, next: number): { first: Break; second: Break } | undefined => {
  for (const first of breaks.filter((one) => one.row === row)) {
    const second = breaks.find((one) => one.row === next && appliesOn(one, first.on));
    if (second !== undefined) return { first, second };
    const swapped = breaks.find((one) => one.row === next && appliesOn(first, one.on));
    if (swapped !== undefined) return { first, second: swapped };
  }
  return undefined;
};

/** Rows that can be broken on operations other than the one listed. */
const ANYWHERE = new Set([1, 2, 3, 4, 5, 6, 8, 9, 13]);
const WITH_BODY = new Set([14, 15, 24, 25]);
const withBody = (on: OperationName): boolean =>
  on !== "get" && on !== "list" && on !== "delete" && on !== "duplicates";
const appliesOn = ({ row, on }: Break, other: OperationName): boolean =>
  on === other ||
  ANYWHERE.has(row) ||
  (WITH_BODY.has(row) && withBody(other) && on !== "get" && row !== 14) ||
  (row === 11 && other === "get") ||
  (row >= 17 && row <= 23 && (other === "add" || other === "update"));

describeBackends("the table of checks of the target API", (backend) => {
  for (const profile of ["neutral", "vuforia"] satisfies ProfileName[]) {
    const options = { profile, processingTimeSeconds: PROCESSING_SECONDS };
    const reached = breaks.filter(({ inProcessOnly }) => !(backend.overSockets && inProcessOnly === true));

    it.each(reached)(`${profile}: row $row refuses $what`, async (broken) => {
      await using service = await backend.open(options);
      const situation = await prepare(service);
      await expectRefusal(situation, await sendBroken(situation, broken.on, [broken]), broken);
    });

    it.each(pairs)(`${profile}: row $row comes before row $next`, async ({ row, next }) => {
      const both = bothBroken(row, next);
      if (both === undefined) throw new Error(`no request breaks rows ${row} and ${next}`);
      const { first, second } = both;
      if (backend.overSockets && (first.inProcessOnly === true || second.inProcessOnly === true)) return;
      const on = appliesOn(second, first.on) ? first.on : second.on;
      await using service = await backend.open(options);
      const situation = await prepare(service);
      await expectRefusal(situation, await sendBroken(situation, on, [second]), second);
      await expectRefusal(situation, await sendBroken(situation, on, [second, first]), first);
    });
  }

  it("answers a body that no check refuses", async () => {
    await using service = await backend.open({ processingTimeSeconds: PROCESSING_SECONDS });
    const situation = await prepare(service);
    const response = await sendBroken(situation, "add", []);
    expect([response.status, json(response).result_code]).toEqual([201, "TargetCreated"]);
  });
});
