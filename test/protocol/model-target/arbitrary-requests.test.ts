import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingsIn } from "../../../src/core/apis/model-target/dataset-validation.ts";
import { profiles } from "../../../src/core/emulator/profiles.ts";
import { sentenceOf } from "../../../src/core/schema/causes/causes.ts";
import { times } from "../../support/combinations.ts";
import { isJsonObject, type JsonObject } from "../../support/values.ts";
import { openDirectly, type Received } from "./api.ts";
import {
  ADVANCED,
  basic,
  bearer,
  CREDENTIALS,
  creation,
  jsonOf,
  part,
  STANDARD,
  tokenFor,
  tokenRequest,
} from "./requests.ts";

const profile = fc.constantFrom("neutral" as const, "vuforia" as const);
const route = fc.constantFrom(STANDARD, ADVANCED);
const json = fc.jsonValue();

/** Values that get past the first stages more often than any value does. */
const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: json });
const text = mostly(
  fc.constantFrom("", "auto", "never", "default", "static", "ZIP", "a", '{"states":{"a":{}}}', "[]"),
);
const vector = mostly(
  fc.array(mostly(fc.double({ noNaN: true, noDefaultInfinity: true })), { maxLength: 4 }),
);
const view = fc.record(
  {
    name: text,
    guideViewPosition: mostly(fc.record({ rotation: vector, translation: vector }, { requiredKeys: [] })),
    states: mostly(fc.array(text, { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
const modelFields = [
  "cadDataUrl",
  "cadDataBlob",
  "cadDataUuid",
  "cadDataFormat",
  "automaticColoring",
  "simplify",
  "optimizeTrackingFor",
  "realisticAppearance",
  "motionHint",
  "trackingMode",
  "stateBasedConfigurationJsonString",
];
const model = fc.record(
  {
    name: text,
    ...Object.fromEntries(modelFields.map((field) => [field, text])),
    views: mostly(fc.array(mostly(view), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
const request = mostly(
  fc.record(
    { name: text, targetSdk: text, models: mostly(fc.array(mostly(model), { maxLength: 3 })) },
    { requiredKeys: ["models"] },
  ),
);

/** Checks that a response is one of the table: its statuses, its headers, its envelope. */
function expectOfTable(received: Received, statuses: readonly number[]): void {
  expect(statuses).toContain(received.status);
  expect(received.headers).toContainEqual(["Content-Length", String(received.body.length)]);
  expect(received.body.toString()).toMatch(/^[ -~]*$/);
  if (received.status !== 403) expect(received.headers[0]).toEqual(["Content-Type", "application/json"]);
  if (received.status >= 400 && received.status !== 403)
    expect(Object.keys(Object(jsonOf(received)))[0]).toBe("error");
}

const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
const headerText = fc.string({ unit: fc.constantFrom(...'abcAB.=_-+/ :{}"é\u00ff'), maxLength: 60 });

describe("any request gets a response of the table", () => {
  it("any JSON value as a creation body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, request), route, profile, async (body, path, name) => {
        const api = openDirectly({ profile: name });
        expectOfTable(await api.send(creation(JSON.stringify(body), { path })), [201, 400]);
      }),
      { numRuns: times(500, 150) },
    );
  });

  it("any bytes as a creation body", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, route, profile, async (body, path, name) => {
        expectOfTable(await openDirectly({ profile: name }).send(creation(body, { path })), [400]);
      }),
    );
  });

  it("any JSON value or bytes as a credential body", async () => {
    const body = fc
      .oneof(json, fc.record({ scopes: mostly(fc.array(text)) }))
      .map((value) => Buffer.from(JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, anyBytes), async (bytes) => {
        const api = openDirectly();
        expectOfTable(await api.send(creation(bytes, { path: CREDENTIALS })), [201, 400]);
        expectOfTable(
          await api.send({ ...creation(bytes, { path: `${CREDENTIALS}/x/scopes` }), method: "PUT" }),
          [404],
        );
      }),
    );
  });

  it("any bytes as a token body", async () => {
    const fields = fc
      .array(
        fc.tuple(
          fc.constantFrom("grant_type", "scope", "username", "password"),
          fc.oneof(fc.string(), fc.constantFrom("password", "modeltargets.all")),
        ),
      )
      .map((pairs) => Buffer.from(new URLSearchParams(pairs).toString()));
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, fields), async (body) => {
        expectOfTable(await openDirectly().send(tokenRequest({ body })), [200, 400, 401]);
      }),
      { numRuns: times(300, 100) },
    );
  });

  it("any text as Basic credentials", async () => {
    await fc.assert(
      fc.asyncProperty(headerText, fc.string(), async (raw, decoded) => {
        const api = openDirectly();
        expectOfTable(await api.send(tokenRequest({ headers: { Authorization: `Basic ${raw}` } })), [401]);
        expectOfTable(await api.send(tokenRequest({ headers: basic(decoded, decoded) })), [401]);
      }),
    );
  });

  it("any bearer token", async () => {
    const piece = fc.oneof(
      headerText,
      json.map(part),
      fc.constantFrom(part({ alg: "x" }), part({ scope: "modeltargets.all" }), ""),
    );
    const token = fc.oneof(
      headerText,
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(".")),
    );
    await fc.assert(
      fc.asyncProperty(token, async (given) => {
        const api = openDirectly();
        const path = `${STANDARD}/x/status`;
        expectOfTable(await api.send({ method: "GET", path, headers: bearer(given) }), [401, 403, 404]);
      }),
      { numRuns: times(500, 150) },
    );
  });

  it("a token holds exactly the scopes that it names", async () => {
    const scopes = fc.array(
      fc.constantFrom("modeltargets.all", "modeltargets.standardmodeltarget.all", "other", "modeltargets"),
    );
    await fc.assert(
      fc.asyncProperty(scopes, async (held) => {
        const headers = bearer(tokenFor(held.join(" ")));
        const { status } = await openDirectly().send({
          method: "GET",
          path: `${STANDARD}/x/status`,
          headers,
        });
        expect(status).toBe(held.some((scope) => scope.startsWith("modeltargets.")) ? 404 : 403);
      }),
    );
  });
});

describe("validation", () => {
  it("finds the same whatever the order of the keys, and has a reason for every message", () => {
    fc.assert(
      fc.property(
        request,
        fc.constantFrom("STANDARD" as const, "ADVANCED" as const),
        profile,
        (value, family, name) => {
          const fields = isJsonObject(value) ? value : {};
          const findingsOf = (given: JsonObject) =>
            findingsIn(given, family, profiles[name]).map(({ message, why }) => ({ message, cause: why() }));
          const findings = findingsOf(fields);
          const other = reversed(fields);
          expect(findingsOf(isJsonObject(other) ? other : {})).toEqual(findings);
          for (const { message, cause } of findings)
            expect([message, sentenceOf(cause)].every((words) => words.length > 0)).toBe(true);
        },
      ),
      { numRuns: times(500, 150) },
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}
