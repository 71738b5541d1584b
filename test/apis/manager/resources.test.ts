import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cloudDatabaseResource,
  readCloudDatabase,
} from "../../../src/apis/manager/cloud-database-resource.ts";
import { credentialResource, readCredential } from "../../../src/apis/manager/credential-resource.ts";
import { datasetResource, readDataset } from "../../../src/apis/manager/dataset-resource.ts";
import { type Reader, readObject } from "../../../src/apis/manager/fields.ts";
import { readNewTarget, targetResource } from "../../../src/apis/manager/target-resource.ts";
import {
  readTemplateTarget,
  readVuMarkDatabase,
  templateTargetResource,
  vuMarkDatabaseResource,
} from "../../../src/apis/manager/vumark-resource.ts";
import { DATABASE_STATES } from "../../../src/domain/database.ts";
import { DATASET_FAMILIES } from "../../../src/domain/dataset.ts";
import { newCloudDatabase, newTemplateTarget, newVuMarkDatabase } from "../../../src/domain/new-database.ts";
import { asciiJson } from "../../../src/responses/json.ts";
import { createRandom } from "../../../src/runtime/random.ts";

const random = createRandom("resources");
const text = fc.string({ unit: "binary", minLength: 1 });
const count = fc.maxSafeNat();
const seconds = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Math.abs);
const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z") });
const time = moment.map((date) => date.getTime());
const state = fc.constantFrom(...DATABASE_STATES);
const aboveZero = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
const limit = fc.option(fc.record({ maxRequests: count, windowSeconds: aboveZero }));
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue().map(withoutNegativeZero));

/** What the reader makes of a resource that was sent as JSON. */
function sentAndRead<T>(resource: unknown, read: Reader<T>): T {
  const reading = readObject(JSON.parse(asciiJson(resource)), read);
  if ("errors" in reading) throw new Error(JSON.stringify(reading.errors));
  return reading.value;
}

/** JSON has no negative zero. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("a resource, sent and read again, is the record it was made from:", () => {
  it("a cloud database", () => {
    const databases = fc.record({
      kind: fc.constant("cloud" as const),
      id: text,
      name: text,
      serverAccessKey: text,
      serverSecretKey: text,
      clientAccessKey: text,
      clientSecretKey: text,
      state,
      typeName: text,
      requestQuota: count,
      recoThreshold: count,
      currentMonthRecos: count,
      previousMonthRecos: count,
      totalRecos: count,
      targetQuota: count,
      requestsPerSecondLimit: fc.option(count),
      requestRateLimits: fc.option(
        fc.record({ other: limit, getTarget: limit, getDuplicates: limit, listTargets: limit }),
      ),
    });
    fc.assert(
      fc.property(databases, (database) => {
        const read = sentAndRead(cloudDatabaseResource(database, []), readCloudDatabase);
        expect(newCloudDatabase(read, random)).toEqual(database);
      }),
    );
  });

  it("a VuMark database", () => {
    const kind = fc.constant("vumark" as const);
    const databases = fc.record({ kind, name: text, serverAccessKey: text, serverSecretKey: text, state });
    fc.assert(
      fc.property(databases, (database) => {
        const read = sentAndRead(vuMarkDatabaseResource(database, []), readVuMarkDatabase);
        expect(newVuMarkDatabase(read, random)).toEqual(database);
      }),
    );
  });

  it("a template target", () => {
    const targets = fc.record({
      id: text,
      name: text,
      processingTimeSeconds: seconds,
      uploadedAt: time,
      modifiedAt: time,
      processed: fc.constant(false),
    });
    fc.assert(
      fc.property(targets, (target) => {
        const read = sentAndRead(templateTargetResource(target), readTemplateTarget);
        expect(newTemplateTarget(read, random, 0)).toEqual(target);
      }),
    );
  });

  it("a target, as far as it can be given", async () => {
    const targets = fc.record({
      id: text,
      name: text,
      width: aboveZero,
      image: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      active: fc.boolean(),
      metadata: fc.option(fc.base64String()),
      processingTimeSeconds: seconds,
    });
    const rest = {
      uploadedAt: 0,
      modifiedAt: 0,
      deletedAt: null,
      sequence: 1,
      outcome: "success" as const,
      rating: 1,
      processed: false,
      rated: false,
      currentMonthRecos: 0,
      previousMonthRecos: 0,
      totalRecos: 0,
    };
    await fc.assert(
      fc.asyncProperty(targets, async (target) => {
        const image = { sha256: "", bytes: () => target.image };
        const resource = await targetResource({ ...rest, ...target, image }, 0);
        expect(sentAndRead(resource, readNewTarget)).toEqual(target);
      }),
    );
  });

  it("a dataset", () => {
    const message = fc.string({ unit: "binary" });
    const outcome = fc.oneof(
      fc.record({ failureMessage: message, warning: fc.constant(null) }),
      fc.record({
        failureMessage: fc.constant(null),
        warning: fc.option(fc.record({ message, details: fc.array(jsonObject) })),
      }),
    );
    const datasets = fc.record({
      uuid: text,
      family: fc.constantFrom(...DATASET_FAMILIES),
      requestBody: jsonObject,
      createdAt: time,
      processingTimeSeconds: seconds,
      outcome,
    });
    fc.assert(
      fc.property(datasets, ({ outcome, ...rest }) => {
        const dataset = { ...rest, ...outcome };
        const resource = datasetResource({ ...dataset, processed: false });
        expect(sentAndRead(resource, readDataset)).toEqual(dataset);
      }),
    );
  });

  it("a client credential", () => {
    const credentials = fc.record({ clientId: text, clientSecret: text, scopes: fc.array(text) });
    fc.assert(
      fc.property(credentials, (credential) => {
        expect(sentAndRead(credentialResource(credential), readCredential)).toEqual(credential);
      }),
    );
  });
});
