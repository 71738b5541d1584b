import { ManualClock } from "mock-cloud-reco";
import { beforeEach, describe, expect, test } from "vitest";
import { newCloudDatabase, newVuMarkDatabase } from "../../src/domain/new-database.ts";
import { Emulator } from "../../src/emulator.ts";
import type { Outcome } from "../../src/http/outcome.ts";
import { resolveOptions } from "../../src/options.ts";
import { MovableClock } from "../../src/runtime/movable-clock.ts";
import type { Service } from "../../src/runtime/operation.ts";
import { createRandom } from "../../src/runtime/random.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { makePng } from "../support/png.ts";
import { signedRequest } from "../support/signed-request.ts";
import { bearer, CREDENTIALS, STANDARD } from "./model-target/requests.ts";

// Servers share a store: between a request's checks and what it then does, other requests are served.

const image = makePng();
const clock = new ManualClock();
const now = clock.now().getTime();
const random = createRandom(1);
const shop = newCloudDatabase({ name: "shop" }, random);
const labels = newVuMarkDatabase({ name: "labels" }, random);
const ID = "0123456789abcdef0123456789abcdef";
const PROCESSING_SECONDS = 60;

const newTarget = (name: string, id: string) => ({
  id,
  name,
  width: 1,
  image,
  active: true,
  metadata: null,
  processingTimeSeconds: PROCESSING_SECONDS,
});

let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore(async () => ({ outcome: "success", rating: 5 }));
  store.createDatabase(shop);
  store.createDatabase(labels);
  await store.createTarget("shop", newTarget("poster", ID), now - PROCESSING_SECONDS * 1000);
  store.putCredential({ clientId: ID, clientSecret: "secret", scopes: [] });
  store.createDataset({
    uuid: ID,
    family: "STANDARD",
    requestBody: {},
    createdAt: now,
    processingTimeSeconds: 0,
    failureMessage: null,
    warning: null,
    processed: true,
  });
});

/** What another request does meanwhile. */
const targetIsDeleted = () => store.deleteTarget("shop", ID, now, true);
const targetIsProcessed = () => store.updateTarget("shop", ID, { width: 9 }, now, ["success"]);
const nameIsTaken = () => store.createTarget("shop", newTarget("taken", "f".repeat(32)), now);
const shopIsDeleted = () => store.deleteDatabase("shop");
const labelsAreDeleted = () => store.deleteDatabase("labels");

/** A store in which something else happens right before a verb. */
const overtaken = (verb: keyof Store, meanwhile: () => unknown): Store =>
  new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        if (key === verb) await meanwhile();
        return Reflect.apply(value, target, args);
      };
    },
  });

interface Sent {
  readonly api: Service;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function send({ api, method, path, body }: Sent, shared: Store): Promise<Outcome> {
  const { profile, settings } = resolveOptions({});
  const emulator = new Emulator(
    { store: shared, clock: new MovableClock(clock), random, profile, settings },
    { unservedPaths: "notFound" },
  );
  const keys = { accessKey: shop.serverAccessKey, secretKey: shop.serverSecretKey };
  const signed = signedRequest({ ...keys, method, path, body, now: clock.now(), baseUrl: "" });
  const headers = Object.entries({ ...signed.headers, ...(api === "modelTarget" && bearer()) });
  const bytes = Buffer.from(signed.body ?? "");
  return emulator.handle([api], { method, path, query: "", headers, body: bytes });
}

const TARGET = `/targets/${ID}`;
const MANAGED = `/cloud_databases/shop${TARGET}`;
const picture = image.toString("base64");

describe("what other requests did since the checks ran is decided by the store", () => {
  test.each<[string, string, Sent["body"], keyof Store, () => unknown, number, string]>([
    ["PUT", TARGET, { width: 2 }, "updateTarget", targetIsDeleted, 404, "UnknownTarget"],
    ["PUT", TARGET, { width: 2 }, "updateTarget", targetIsProcessed, 403, "TargetStatusNotSuccess"],
    ["PUT", TARGET, { name: "taken" }, "updateTarget", nameIsTaken, 403, "TargetNameExist"],
    ["DELETE", TARGET, undefined, "deleteTarget", targetIsDeleted, 404, "UnknownTarget"],
    ["DELETE", TARGET, undefined, "deleteTarget", targetIsProcessed, 403, "TargetStatusProcessing"],
    [
      "POST",
      "/targets",
      { name: "taken", width: 1, image: picture },
      "createTarget",
      nameIsTaken,
      403,
      "TargetNameExist",
    ],
  ])("target API: %s %s with %j before %s", async (method, path, body, verb, meanwhile, status, code) => {
    const { response } = await send({ api: "target", method, path, body }, overtaken(verb, meanwhile));
    expect(response?.status).toBe(status);
    expect(JSON.parse(String(response?.body))).toMatchObject({ result_code: code });
  });

  test("target API: a database that is gone is a failure of the emulator's", async () => {
    const body = { name: "new", width: 1, image: picture };
    const sent = { api: "target", method: "POST", path: "/targets", body } as const;
    await expect(send(sent, overtaken("createTarget", shopIsDeleted))).rejects.toThrow(
      "the target could not be stored: unknownDatabase",
    );
  });

  const unknownShop = 'there is no cloud database with the name "shop"';
  const unknownLabels = 'there is no VuMark database with the name "labels"';
  const unknownTarget = `the cloud database "shop" has no undeleted target with the id "${ID}"`;
  const posted = { name: "new", width: 1, image_base64: picture };

  test.each<[string, string, Sent["body"], keyof Store, () => unknown, string]>([
    ["POST", "/cloud_databases/shop/targets", posted, "createTarget", shopIsDeleted, unknownShop],
    ["PUT", "/cloud_databases/shop", { request_quota: 5 }, "updateDatabase", shopIsDeleted, unknownShop],
    ["PUT", MANAGED, { width: 2 }, "updateTarget", targetIsDeleted, unknownTarget],
    ["DELETE", MANAGED, undefined, "deleteTarget", targetIsDeleted, ""],
    ["POST", `${MANAGED}/recognition_counts`, {}, "setRecognitionCounts", targetIsDeleted, unknownTarget],
    ["PUT", "/vumark_databases/labels", {}, "updateDatabase", labelsAreDeleted, unknownLabels],
    [
      "POST",
      "/vumark_databases/labels/vumark_targets",
      { name: "label" },
      "addTemplateTarget",
      labelsAreDeleted,
      unknownLabels,
    ],
  ])("target manager: %s %s with %j before %s", async (method, path, body, verb, meanwhile, said) => {
    const { response } = await send({ api: "manager", method, path, body }, overtaken(verb, meanwhile));
    expect([response?.status, String(response?.body).trim()]).toEqual([404, said]);
  });

  test.each<[string, string, Sent["body"], keyof Store, () => unknown]>([
    ["DELETE", `${CREDENTIALS}/${ID}`, undefined, "deleteCredential", () => store.deleteCredential(ID)],
    ["PUT", `${CREDENTIALS}/${ID}/scopes`, [], "setCredentialScopes", () => store.deleteCredential(ID)],
    ["DELETE", `${STANDARD}/${ID}`, undefined, "deleteDataset", () => store.deleteDataset(ID)],
  ])("Model Target API: %s %s with %j before %s", async (method, path, body, verb, meanwhile) => {
    const sent = { api: "modelTarget", method, path, body } as const;
    const { response } = await send(sent, overtaken(verb, meanwhile));
    const again = await send(sent, store);
    expect(response?.status).toBe(404);
    expect(String(response?.body)).toBe(String(again.response?.body));
  });
});
