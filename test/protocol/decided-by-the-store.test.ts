import { type ApiName, type CauseCode, ManualClock } from "mock-cloud-reco";
import { beforeEach, describe, expect, test } from "vitest";
import { createEmulator } from "../../src/core/apis/index.ts";
import { MovableClock } from "../../src/core/emulator/clock.ts";
import type { Result } from "../../src/core/emulator/message.ts";
import { createRandom } from "../../src/core/emulator/random.ts";
import { newCloudDatabase } from "../../src/core/schema/cloud-database.ts";
import { newVuMarkDatabase } from "../../src/core/schema/database.ts";
import * as changes from "../../src/core/store/changes.ts";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { deleteState, restoreSnapshot, wholeSnapshot } from "../../src/core/store/snapshot.ts";
import { StateUnavailableError, type Store } from "../../src/core/store/store.ts";
import { resolveOptions } from "../../src/options/options.ts";
import { failureReply } from "../../src/servers/server.ts";
import { targetNamed } from "../store/contract-cases.ts";
import { makePng } from "../support/png.ts";
import { signedRequest } from "../support/signed-request.ts";
import { bearer, CREDENTIALS, STANDARD } from "./model-target/requests.ts";

// Servers share a store: other requests may be served between a request's checks and its handler.

const image = makePng();
const clock = new ManualClock();
const now = clock.now().getTime();
const random = createRandom(1);
const shop = newCloudDatabase({ databaseName: "shop" }, random);
const labels = newVuMarkDatabase({ databaseName: "labels" }, random);
const ID = "0123456789abcdef0123456789abcdef";
const PROCESSING_SECONDS = 60;

const newTarget = (name: string, targetId: string) => ({
  targetId,
  name,
  width: 1,
  image: { bytes: image },
  activeFlag: true,
  applicationMetadata: null,
});
const defaults = { random, answerOptions: { processingTimeSeconds: PROCESSING_SECONDS } };

let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore(async () => ({ outcome: "success", rating: 5 }));
  await store.run(changes.createDatabase(shop));
  await store.run(changes.createDatabase(labels));
  await store.run(
    changes.createTarget(defaults, "shop", newTarget("poster", ID), now - PROCESSING_SECONDS * 1000),
  );
  await store.run(changes.putCredential({ clientId: ID, clientSecret: "secret", scopes: [] }));
  await store.run(
    changes.createDataset({
      uuid: ID,
      datasetTypeName: "STANDARD",
      requestBody: {},
      createdAt: now,
      processingTimeSeconds: 0,
      generationFailureMessage: null,
      generationWarning: null,
      processed: true,
    }),
  );
});

/** What another request does in the meantime. */
const targetIsDeleted = () => store.run(changes.deleteTarget("shop", ID, now, true));
const targetIsProcessed = () => store.run(changes.updateTarget("shop", ID, { width: 9 }, now, ["success"]));
const nameIsTaken = () =>
  store.run(changes.createTarget(defaults, "shop", newTarget("taken", "f".repeat(32)), now));
const shopIsDeleted = () => store.run(changes.deleteDatabase("shop"));
const labelsAreDeleted = () => store.run(changes.deleteDatabase("labels"));

/** A store in which something happens right before a request reads or changes it. */
const overtaken = (at: "read" | "run", meanwhile: () => unknown, overtakenStore: Store = store): Store => ({
  forRequest: () => overtaken(at, meanwhile, overtakenStore.forRequest()),
  read: async (read) => {
    if (at === "read") await meanwhile();
    return overtakenStore.read(read);
  },
  run: async (change) => {
    if (at === "run") await meanwhile();
    return overtakenStore.run(change);
  },
  takeRateToken: (...given) => overtakenStore.takeRateToken(...given),
  revision: () => overtakenStore.revision(),
});

interface Sent {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

async function send(
  { api, method, path, body }: Sent,
  shared: Store,
): Promise<Result & { readonly code: CauseCode | undefined }> {
  const { profile, answerOptions } = resolveOptions({});
  const emulator = createEmulator(
    { store: shared, clock: new MovableClock(clock), random, profile, answerOptions },
    { unservedPaths: "notFound", answerFailure: failureReply },
  );
  const keys = { accessKey: shop.serverAccessKey, secretKey: shop.serverSecretKey };
  const signed = signedRequest({ ...keys, method, path, body, now: clock.now(), baseUrl: "" });
  const headers = Object.entries({ ...signed.headers, ...(api === "modelTarget" && bearer()) });
  const bytes = Buffer.from(signed.body ?? "");
  const result = await emulator.handle([api], { method, path, query: "", headers, body: bytes });
  return { ...result, code: emulator.journal.entries.at(-1)?.cause?.code };
}

const TARGET = `/targets/${ID}`;
const MANAGED = `/cloud_databases/shop${TARGET}`;
const picture = image.toString("base64");

/** By result code. */
const CAUSES: Readonly<Record<string, CauseCode>> = {
  UnknownTarget: "target.deleted",
  TargetStatusNotSuccess: "target.status",
  TargetNameExist: "name.taken",
  TargetStatusProcessing: "target.processing",
};

test("a request that needs a state that is unavailable gets 502", async () => {
  const away = () => {
    throw new StateUnavailableError("the store is away");
  };
  const sent = { api: "target", method: "GET", path: "/summary" } as const;
  const { response, code } = await send(sent, overtaken("read", away));
  expect({ status: response?.status, code }).toEqual({ status: 502, code: "manager.unreachable" });
});

describe("the store detects what other requests changed after the checks ran", () => {
  test.each<[string, string, Sent["body"], () => unknown, number, string]>([
    ["PUT", TARGET, { width: 2 }, targetIsDeleted, 404, "UnknownTarget"],
    ["PUT", TARGET, { width: 2 }, targetIsProcessed, 403, "TargetStatusNotSuccess"],
    ["PUT", TARGET, { name: "taken" }, nameIsTaken, 403, "TargetNameExist"],
    ["DELETE", TARGET, undefined, targetIsDeleted, 404, "UnknownTarget"],
    ["DELETE", TARGET, undefined, targetIsProcessed, 403, "TargetStatusProcessing"],
    ["POST", "/targets", { name: "taken", width: 1, image: picture }, nameIsTaken, 403, "TargetNameExist"],
  ])(
    "target API: %s %s with %j after another request",
    async (method, path, body, meanwhile, status, code) => {
      const sent = await send({ api: "target", method, path, body }, overtaken("run", meanwhile));
      expect(sent.response?.status).toBe(status);
      expect(JSON.parse(String(sent.response?.body))).toMatchObject({ result_code: code });
      expect(sent.code).toBe(CAUSES[code]);
    },
  );

  const shopIsReset = () => store.run(deleteState);
  const shopIsRestored = async () => store.run(restoreSnapshot(await store.read(wholeSnapshot)));
  test.each([
    ["is deleted", shopIsDeleted],
    ["goes with a reset", shopIsReset],
    ["is restored from a snapshot", shopIsRestored],
  ])(
    "target API: the keys of a database that %s are unknown, and nothing is stored",
    async (_what, happens) => {
      const body = { name: "new", width: 1, image: picture };
      const sent = { api: "target", method: "POST", path: "/targets", body } as const;
      const { response, code } = await send(sent, overtaken("run", happens));
      expect(code).toBe("database.deleted");
      expect(response?.status).toBe(400);
      expect(JSON.parse(response?.body.toString() ?? "")).toMatchObject({ result_code: "Fail" });
      expect(await targetNamed(store, "shop", "new")).toBeUndefined();
    },
  );

  const unknownShop = 'there is no cloud database with the name "shop"';
  const unknownLabels = 'there is no VuMark database with the name "labels"';
  const unknownTarget = `the cloud database "shop" has no undeleted target with the id "${ID}"`;
  const posted = { name: "new", width: 1, image_base64: picture };

  test.each<[string, string, Sent["body"], () => unknown, string]>([
    ["POST", "/cloud_databases/shop/targets", posted, shopIsDeleted, unknownShop],
    ["PUT", "/cloud_databases/shop", { request_quota: 5 }, shopIsDeleted, unknownShop],
    ["PUT", MANAGED, { width: 2 }, targetIsDeleted, unknownTarget],
    ["DELETE", MANAGED, undefined, targetIsDeleted, ""],
    ["POST", `${MANAGED}/recognition_counts`, {}, targetIsDeleted, unknownTarget],
    ["PUT", "/vumark_databases/labels", {}, labelsAreDeleted, unknownLabels],
    ["POST", "/vumark_databases/labels/vumark_targets", { name: "label" }, labelsAreDeleted, unknownLabels],
  ])("target manager: %s %s with %j after another request", async (method, path, body, meanwhile, said) => {
    const { response } = await send({ api: "manager", method, path, body }, overtaken("run", meanwhile));
    expect([response?.status, String(response?.body).trim()]).toEqual([404, said]);
  });

  test.each<[string, string, Sent["body"], () => unknown]>([
    ["DELETE", `${CREDENTIALS}/${ID}`, undefined, () => store.run(changes.deleteCredential(ID))],
    ["PUT", `${CREDENTIALS}/${ID}/scopes`, [], () => store.run(changes.deleteCredential(ID))],
    ["DELETE", `${STANDARD}/${ID}`, undefined, () => store.run(changes.deleteDataset(ID))],
  ])("Model Target API: %s %s with %j after another request", async (method, path, body, meanwhile) => {
    const sent = { api: "modelTarget", method, path, body } as const;
    const { response } = await send(sent, overtaken("run", meanwhile));
    const again = await send(sent, store);
    expect(response?.status).toBe(404);
    expect(String(response?.body)).toBe(String(again.response?.body));
  });
});
