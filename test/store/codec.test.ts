import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { cloudDatabaseRecord } from "../../src/core/schema/cloud-database.ts";
import { templateTargetRecord, vuMarkDatabaseRecord } from "../../src/core/schema/database.ts";
import { credentialRecord, datasetRecord } from "../../src/core/schema/model-target.ts";
import { reportRecord } from "../../src/core/schema/report.ts";
import { targetRecord } from "../../src/core/schema/target.ts";
import { decoded, decodeTarget, encodeTarget } from "../../src/core/store/codec.ts";
import { fromText, storedWrite, toText } from "../../src/redis/codec.ts";
import { codePoint } from "../support/code-point.ts";
import { requiredFieldsOf, valuesOf } from "../support/schema-values.ts";

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.constantFrom("", "\0", "\0\0", "\0NaN", "\0-0", "\\u0000"),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, -0, 2 ** 53 - 1, 5e-324),
);
interface Kind {
  readonly kind: string;
  readonly schema: z.ZodMiniType<object>;
}

const kinds: readonly Kind[] = [
  { kind: "a cloud database", schema: cloudDatabaseRecord },
  { kind: "a VuMark database", schema: vuMarkDatabaseRecord },
  { kind: "a target", schema: targetRecord },
  { kind: "a template target", schema: templateTargetRecord },
  { kind: "a report", schema: reportRecord },
  { kind: "a dataset", schema: datasetRecord },
  { kind: "a credential", schema: credentialRecord },
];

describe("records survive encoding as text", () => {
  test.each(kinds)("$kind", ({ kind, schema }) => {
    fc.assert(
      fc.property(valuesOf(schema), (record) => {
        expect(decoded(schema, fromText(toText(record)), kind)).toEqual(record);
      }),
    );
  });

  test("a target, with its image beside it", () => {
    const bytes = () => Buffer.alloc(0);
    fc.assert(
      fc.property(valuesOf(targetRecord), (record) => {
        const target = { ...record, image: { sha256: record.image, bytes } };
        const back = decodeTarget(encodeTarget(target), (sha256) => ({ sha256, bytes }));
        // A deleted target keeps only its image's hash, and no metadata.
        const kept = { image: expect.anything(), applicationMetadata: null };
        expect(back).toEqual({ ...target, ...(record.deleteDate !== null && kept) });
        expect(back.image.sha256).toBe(record.image);
      }),
    );
  });

  test("every number and every text", () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, number, fc.array(fc.oneof(text, number)))), (value) => {
        expect(() => JSON.parse(toText(value))).not.toThrow();
        expect(fromText(toText(value))).toEqual(value);
      }),
    );
  });
});

describe("invalid records are rejected, without showing text", () => {
  test.each(kinds)("$kind without one of its fields", ({ schema }) => {
    fc.assert(
      fc.property(valuesOf(schema), fc.nat(), (record, choice) => {
        const names = requiredFieldsOf(schema);
        const missing = names[choice % names.length] ?? "";
        const rest = Object.fromEntries(Object.entries(record).filter(([name]) => name !== missing));
        expect(() => decoded(schema, rest, "record")).toThrow(`record.${missing}: expected `);
      }),
    );
  });

  test.each(kinds)("$kind with an unknown field", ({ schema }) => {
    fc.assert(
      fc.property(valuesOf(schema), (record) => {
        expect(() => decoded(schema, { ...record, unheardOf: "hidden" }, "record")).toThrow(
          "record.unheardOf: expected one of ",
        );
      }),
    );
  });

  test.each([
    [undefined, "target: expected an object; got nothing"],
    [null, "target: expected an object; got null"],
    [5, "target: expected an object; got 5"],
    ["hidden", "target: expected an object; got other text"],
    [[], "target: expected an object; got an array of 0"],
    [{}, "target.name: expected non-empty text; got nothing"],
    [{ name: "a", width: "hidden" }, "target.width: expected a number above 0; got other text"],
  ])("%j is no target", (value, message) => {
    expect(() => decoded(targetRecord, value, "target")).toThrow(new TypeError(message));
  });

  test.each([
    [{ kind: "other" }, "change.kind: expected a change of a known kind of record; got an object"],
    [{ kind: "target", key: "", record: 5 }, "change.record: expected an object; got 5"],
    [
      { kind: "database", key: "", record: { kind: "cloudy" } },
      "change.record.kind: expected a database; got an object",
    ],
  ])("%j is no change of a record", (value, message) => {
    expect(() => decoded(storedWrite, value, "change")).toThrow(new TypeError(message));
  });
});
