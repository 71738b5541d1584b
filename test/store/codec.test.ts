import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATABASE_STATES } from "../../src/domain/database.ts";
import {
  decoded,
  decodeTarget,
  encodeTarget,
  fromText,
  isCredentialRecord,
  isDatabaseRecord,
  isDatasetRecord,
  isReportRecord,
  isTargetRecord,
  isTemplateTargetRecord,
  toText,
} from "../../src/store/codec.ts";
import type { Guard } from "../../src/store/record-guards.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\0", "\0\0", "\0NaN", "\0-0", "\\u0000"),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NaN, -0, 2 ** 53 - 1, 5e-324),
);
const jsonObject = fc.dictionary(
  fc.oneof(text, fc.constantFrom("__proto__", "constructor", "2", "image")),
  fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.array(fc.oneof(text, number)), fc.object()),
);
const limit = fc.option(fc.record({ maxRequests: number, windowSeconds: number }));
const settings = {
  state: fc.constantFrom(...DATABASE_STATES),
  requestQuota: number,
  targetQuota: number,
  recoThreshold: number,
  currentMonthRecos: number,
  previousMonthRecos: number,
  totalRecos: number,
  requestsPerSecondLimit: fc.option(number),
  requestRateLimits: fc.option(
    fc.record({ other: limit, getTarget: limit, getDuplicates: limit, listTargets: limit }),
  ),
};
const cloudDatabase = fc.record({
  kind: fc.constant("cloud"),
  id: text,
  name: text,
  serverAccessKey: text,
  serverSecretKey: text,
  clientAccessKey: text,
  clientSecretKey: text,
  typeName: text,
  ...settings,
});
const vuMarkDatabase = fc.record({
  kind: fc.constant("vumark"),
  name: text,
  serverAccessKey: text,
  serverSecretKey: text,
  state: settings.state,
});
const times = { processingTimeSeconds: number, processed: fc.boolean() };
const target = fc.record({
  id: text,
  name: text,
  width: number,
  image: fc.record({ sha256: text, bytes: fc.constant(() => Buffer.alloc(0)) }),
  active: fc.boolean(),
  metadata: fc.option(text),
  uploadedAt: number,
  sequence: number,
  modifiedAt: number,
  deletedAt: fc.option(number),
  outcome: fc.constantFrom("success" as const, "failed" as const),
  rating: number,
  rated: fc.boolean(),
  currentMonthRecos: number,
  previousMonthRecos: number,
  totalRecos: number,
  ...times,
});
const template = fc.record({ id: text, name: text, uploadedAt: number, modifiedAt: number, ...times });
const report = fc.record({
  databaseId: text,
  file: text,
  rows: fc.array(fc.record({ targetId: text, count: number })),
  requestedAt: number,
  ...times,
});
const dataset = fc.record({
  uuid: text,
  family: fc.constantFrom("STANDARD", "ADVANCED"),
  requestBody: jsonObject,
  createdAt: number,
  failureMessage: fc.option(text),
  warning: fc.option(fc.record({ message: text, details: fc.array(jsonObject) })),
  ...times,
});
const credential = fc.record({ clientId: text, clientSecret: text, scopes: fc.array(text) });

interface Kind {
  readonly kind: string;
  readonly records: fc.Arbitrary<object>;
  readonly guard: Guard<unknown>;
}

const kinds: readonly Kind[] = [
  { kind: "a cloud database", records: cloudDatabase, guard: isDatabaseRecord },
  { kind: "a VuMark database", records: vuMarkDatabase, guard: isDatabaseRecord },
  { kind: "a template target", records: template, guard: isTemplateTargetRecord },
  { kind: "a report", records: report, guard: isReportRecord },
  { kind: "a dataset", records: dataset, guard: isDatasetRecord },
  { kind: "a credential", records: credential, guard: isCredentialRecord },
];

/** The value with the keys of all its objects in order: `toEqual` looks at neither order nor `-0`. */
const exact = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "number" ? (Object.is(inner, -0) ? "number -0" : `number ${inner}`) : inner,
  );

describe("records survive the way through text", () => {
  test.each(kinds)("$kind", ({ kind, records, guard }) => {
    fc.assert(
      fc.property(records, (record) => {
        const back = decoded(guard, fromText(toText(record)), kind);
        expect(exact(back)).toBe(exact(record));
      }),
    );
  });

  test("a target, with its image beside it", () => {
    fc.assert(
      fc.property(target, (record) => {
        const read = decoded(isTargetRecord, fromText(toText(encodeTarget(record))), "a target");
        const back = decodeTarget(read, (sha256) => ({ ...record.image, sha256 }));
        expect(back).toEqual(record);
        expect(exact(back)).toBe(exact({ ...record }));
      }),
    );
  });

  test("the text is JSON", () => {
    fc.assert(
      fc.property(dataset, (record) => {
        expect(() => JSON.parse(toText(record))).not.toThrow();
      }),
    );
  });
});

describe("what is no such record is refused", () => {
  test.each(kinds)("$kind without one of its fields", ({ kind, records, guard }) => {
    fc.assert(
      fc.property(records, fc.nat(), (record, choice) => {
        const names = Object.keys(record);
        const missing = names[choice % names.length];
        const rest = Object.fromEntries(Object.entries(record).filter(([name]) => name !== missing));
        expect(() => decoded(guard, rest, kind)).toThrow(TypeError);
      }),
    );
  });

  test.each([undefined, null, 5, "text", [], {}])("%s is no target", (value) => {
    expect(() => decoded(isTargetRecord, value, "a target")).toThrow(/expected a target, got/);
  });
});
