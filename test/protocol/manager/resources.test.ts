import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { targetViewAt } from "../../../src/core/apis/manager/targets.ts";
import { createRandom } from "../../../src/core/emulator/random.ts";
import { writeJson } from "../../../src/core/emulator/write-json.ts";
import {
  cloudDatabaseJson,
  cloudDatabaseRecord,
  newCloudDatabase,
  postedCloudDatabase,
} from "../../../src/core/schema/cloud-database.ts";
import {
  newTemplateTarget,
  newVuMarkDatabase,
  postedTemplateTarget,
  postedVuMarkDatabase,
  templateTargetJson,
  vuMarkDatabaseJson,
  vuMarkDatabaseRecord,
} from "../../../src/core/schema/database.ts";
import {
  DATASET_FAMILIES,
  datasetJson,
  postedCredential,
  postedDataset,
} from "../../../src/core/schema/model-target.ts";
import { postedTarget, targetJson } from "../../../src/core/schema/target.ts";
import { read } from "../../../src/core/schema/zod/problems.ts";
import type { WireForm } from "../../../src/core/schema/zod/wire.ts";
import { codePoint } from "../../support/code-point.ts";
import { valuesOf } from "../../support/schema-values.ts";

const random = createRandom("resources");
const text = fc.string({ unit: codePoint, minLength: 1 });
const name = text.filter((given) => given !== "." && given !== "..");
const seconds = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Math.abs);
const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z") });
const time = moment.map((date) => date.getTime());
const aboveZero = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue().map(withoutNegativeZero));

/** What a schema reads from a resource that was sent as JSON. */
function sentAndRead<T>(resource: unknown, { schema }: WireForm<T>): T {
  const body = writeJson(resource);
  const json = Buffer.isBuffer(body) ? body : Buffer.concat([...body.chunks()]);
  const reading = read(schema, JSON.parse(json.toString()));
  if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.value;
}

/** JSON has no negative zero. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("a resource that is sent and read again equals the record it was made from:", () => {
  it("a cloud database", () => {
    fc.assert(
      fc.property(valuesOf(cloudDatabaseRecord), (database) => {
        const read = sentAndRead(cloudDatabaseJson.write({ ...database, targets: [] }), postedCloudDatabase);
        expect(newCloudDatabase(read, random)).toEqual(database);
      }),
    );
  });

  it("a VuMark database", () => {
    fc.assert(
      fc.property(valuesOf(vuMarkDatabaseRecord), (database) => {
        const read = sentAndRead(
          vuMarkDatabaseJson.write({ ...database, vumarkTargets: [] }),
          postedVuMarkDatabase,
        );
        expect(newVuMarkDatabase(read, random)).toEqual(database);
      }),
    );
  });

  it("a template target", () => {
    const targets = fc.record({
      targetId: name,
      name: text,
      processingTimeSeconds: seconds,
      uploadDate: time,
      lastModifiedDate: time,
      processed: fc.constant(false),
    });
    fc.assert(
      fc.property(targets, (target) => {
        const read = sentAndRead(templateTargetJson.write(target), postedTemplateTarget);
        expect(newTemplateTarget(read, random, 0)).toEqual(target);
      }),
    );
  });

  it("a target, as far as its fields can be set", async () => {
    const targets = fc.record({
      targetId: name,
      name: text,
      width: aboveZero,
      image: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      activeFlag: fc.boolean(),
      applicationMetadata: fc.option(fc.base64String()),
      processingTimeSeconds: seconds,
    });
    const rest = {
      uploadDate: 0,
      lastModifiedDate: 0,
      deleteDate: null,
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
        const view = await targetViewAt({ ...rest, ...target, image }, 0);
        expect(sentAndRead(targetJson.write(view), postedTarget)).toEqual(target);
      }),
    );
  });

  it("a dataset", () => {
    const message = fc.string({ unit: codePoint });
    const outcome = fc.oneof(
      fc.record({ generationFailureMessage: message, generationWarning: fc.constant(null) }),
      fc.record({
        generationFailureMessage: fc.constant(null),
        generationWarning: fc.option(fc.record({ message, details: fc.array(jsonObject) })),
      }),
    );
    const datasets = fc.record({
      uuid: name,
      datasetTypeName: fc.constantFrom(...DATASET_FAMILIES),
      requestBody: jsonObject,
      createdAt: time,
      processingTimeSeconds: seconds,
      outcome,
    });
    fc.assert(
      fc.property(datasets, ({ outcome, ...rest }) => {
        const dataset = { ...rest, ...outcome };
        expect(sentAndRead(datasetJson.write(dataset), postedDataset)).toEqual(dataset);
      }),
    );
  });

  it("a client credential", () => {
    const credentials = fc.record({
      clientId: name,
      clientSecret: text,
      scopes: fc.array(text),
      databaseName: text,
    });
    fc.assert(
      fc.property(credentials, (credential) => {
        expect(sentAndRead(postedCredential.write(credential), postedCredential)).toEqual(credential);
      }),
    );
  });
});
