import { inspect } from "node:util";
import {
  exactMatcher,
  InvalidOptionError,
  MissingSchemeError,
  MockCloudReco,
  type MockCloudRecoOptions,
} from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { nodeClient } from "./support/clients.ts";

/** JavaScript users have no compiler that stops them. */
const construct = (options: unknown): MockCloudReco => new MockCloudReco(options as MockCloudRecoOptions);

const refused: readonly [unknown, string][] = [
  [
    { processingTimeSeconds: -1 },
    "Invalid options.processingTimeSeconds: got -1; accepted is a number of seconds, 0 or more.",
  ],
  [
    { processingTimeSeconds: "2" },
    'Invalid options.processingTimeSeconds: got "2"; accepted is a number of seconds, 0 or more.',
  ],
  [{ processingTimeSeconds: Number.NaN }, "Invalid options.processingTimeSeconds: got NaN;"],
  [{ responseDelaySeconds: Number.POSITIVE_INFINITY }, "Invalid options.responseDelaySeconds: got Infinity;"],
  [{ profile: "real" }, 'Invalid options.profile: got "real"; accepted is "neutral" or "vuforia".'],
  [
    { queryContentEncoding: "br" },
    'Invalid options.queryContentEncoding: got "br"; accepted is "gzip" or "identity".',
  ],
  [{ queryMatcher: "exact" }, 'Invalid options.queryMatcher: got "exact"; accepted is a function'],
  [{ duplicatesMatcher: 1 }, "Invalid options.duplicatesMatcher: got 1; accepted is a function"],
  [{ targetRater: {} }, "Invalid options.targetRater: got an object; accepted is a function"],
  [{ profile: () => "neutral" }, "Invalid options.profile: got a function;"],
  [{ profile: "n".repeat(81) }, `Invalid options.profile: got "${"n".repeat(80)}…";`],
  [{ modelTargetClient: 1 }, "Invalid options.modelTargetClient: got 1; accepted is an object."],
  [{ requestRateLimits: 1 }, "Invalid options.requestRateLimits: got 1; accepted is an object, or null."],
  [{ delay: 1 }, "Invalid options.delay: got 1; accepted is a function"],
  [
    { unhandledRequests: "warn" },
    'Invalid options.unhandledRequests: got "warn"; accepted is "bypass" or "error".',
  ],
  [
    { cloudQueryFailure: {} },
    "Invalid options.cloudQueryFailure.status: got nothing; accepted is a whole number from 200 to 599.",
  ],
  [{ cloudQueryFailure: { status: 99 } }, "Invalid options.cloudQueryFailure.status: got 99;"],
  [
    { cloudQueryFailure: { status: 500, headers: { a: 1 } } },
    "Invalid options.cloudQueryFailure.headers: got an object;",
  ],
  [
    { cloudQueryFailure: { status: 500, body: {} } },
    "Invalid options.cloudQueryFailure.body: got an object; accepted is text or bytes",
  ],
  [
    { modelTargetFailure: { status: 500, phases: ["upload"] } },
    "Invalid options.modelTargetFailure.phases: got an array of 1;",
  ],
  [
    { modelTargetGenerationFailure: { message: "" } },
    "Invalid options.modelTargetGenerationFailure.message: got",
  ],
  [
    { modelTargetGenerationWarning: { details: [1] } },
    "Invalid options.modelTargetGenerationWarning.details: got",
  ],
  [
    { modelTargetTrainingAllowanceExceeded: 1 },
    "Invalid options.modelTargetTrainingAllowanceExceeded: got 1; accepted is true or false.",
  ],
  [
    { instanceGenerationFailure: "Fail" },
    'Invalid options.instanceGenerationFailure: got "Fail"; accepted is "QuotaExceeded", "LicenseCheckFailed" or "AuthorizationFailed".',
  ],
  [
    { requestsPerSecondLimit: 1.5 },
    "Invalid options.requestsPerSecondLimit: got 1.5; accepted is a whole number, 0 or more, or null.",
  ],
  [
    { requestRateLimits: { other: { maxRequests: 1, windowSeconds: 0 } } },
    "Invalid options.requestRateLimits.other.windowSeconds: got 0; accepted is a number above 0.",
  ],
  [
    { requestRateLimits: { others: null } },
    "Invalid options.requestRateLimits.others: got an unknown name; accepted is one of other,",
  ],
  [
    { modelTargetClient: { id: "a" } },
    "Invalid options.modelTargetClient.secret: got nothing; accepted is some text.",
  ],
  [{ clock: {} }, "Invalid options.clock: got an object; accepted is an object with now(): Date."],
  [{ seed: {} }, "Invalid options.seed: got an object; accepted is text or a number."],
  [
    { processingTime: 1 },
    "Invalid options.processingTime: got an unknown name; accepted is one of targetUrl, queryUrl,",
  ],
  [null, "Invalid options: got null; accepted is an object."],
  ["neutral", 'Invalid options: got "neutral"; accepted is an object.'],
];

describe("options", () => {
  it.each(refused)("%o is refused", (options, message) => {
    const before = globalThis.fetch;
    expect(() => construct(options)).toThrow(InvalidOptionError);
    expect(() => construct(options)).toThrow(message);
    expect(globalThis.fetch).toBe(before);
  });

  it("never show a secret", () => {
    const options = { modelTargetUser: { name: "a", password: 12345678 } };
    expect(() => construct(options)).toThrow(
      "Invalid options.modelTargetUser.password: got a value that is not shown;",
    );
  });

  it("refuse a generation failure beside a warning", () => {
    const options = { modelTargetGenerationFailure: {}, modelTargetGenerationWarning: {} };
    expect(() => construct(options)).toThrow(/failure and warning configurations are mutually exclusive/);
  });

  it.each(["targetUrl", "queryUrl", "modelTargetUrl", "managerUrl"])("want a scheme in %s", (option) => {
    expect(() => construct({ [option]: "vws.example.com" })).toThrow(MissingSchemeError);
    expect(() => construct({ [option]: "vws.example.com" })).toThrow(
      'Invalid URL "vws.example.com": No scheme supplied. Perhaps you meant "https://vws.example.com".',
    );
  });

  it.each(["ftp://example.com", "https://", "https://user@example.com", "https://example.com?x", 1])(
    "refuse the base URL %s",
    (url) => {
      expect(() => construct({ targetUrl: url })).toThrow(
        /Invalid options.targetUrl: got .*; accepted is an http or https URL/,
      );
    },
  );

  it("have every field given as undefined like not given", async () => {
    await using mock = construct({
      processingTimeSeconds: undefined,
      queryMatcher: undefined,
      seed: undefined,
    });
    expect(mock.urls).toEqual({
      target: "https://vws.vuforia.com",
      query: "https://cloudreco.vuforia.com",
      modelTarget: "https://vws.vuforia.com",
      manager: "http://target-manager.test",
    });
  });

  it("keep a base URL's prefix, which is not part of the routes", async () => {
    await using mock = new MockCloudReco({
      targetUrl: "https://proxy.example/vws/",
      queryMatcher: exactMatcher,
    });
    const response = await nodeClient({
      method: "GET",
      url: "https://proxy.example/vws/summary",
      headers: {},
    });
    expect([response.status, mock.urls.modelTarget]).toEqual([401, "https://proxy.example/vws"]);
    expect(mock.requests).toMatchObject([{ path: "/summary", refusedBy: "authorizationGiven" }]);
  });
});

describe("databases and targets", () => {
  it.each<[unknown, string]>([
    [
      { stateName: "SLEEPING" },
      'Invalid database.stateName: got "SLEEPING"; accepted is "WORKING", "PROJECT_INACTIVE"',
    ],
    [{ databaseName: "" }, 'Invalid database.databaseName: got ""; accepted is some text.'],
    [
      { serverSecretKey: 1 },
      "Invalid database.serverSecretKey: got a value that is not shown; accepted is some text.",
    ],
    [{ targetQuota: -1 }, "Invalid database.targetQuota: got -1; accepted is a whole number, 0 or more."],
    [{ name: "x" }, "Invalid database.name: got an unknown name; accepted is one of stateName,"],
  ])("%o is refused", async (fields, message) => {
    await using mock = new MockCloudReco();
    expect(() => mock.addCloudDatabase(fields as never)).toThrow(message);
  });

  it("must have keys, names and ids of their own, over both kinds", async () => {
    await using mock = new MockCloudReco();
    const first = mock.addCloudDatabase({ databaseName: "taken" });
    expect(() => mock.addCloudDatabase({ databaseName: "taken" })).toThrow(
      'a database with the name "taken" exists',
    );
    expect(() => mock.addVuMarkDatabase({ databaseName: "taken" })).toThrow(
      'a database with the name "taken" exists',
    );
    const { databaseId, serverSecretKey, clientAccessKey } = first;
    expect(() => mock.addCloudDatabase({ databaseId })).toThrow(
      `a database with the id "${databaseId}" exists`,
    );
    expect(() => mock.addCloudDatabase({ clientAccessKey })).toThrow("clientAccessKey");
    expect(() => mock.addCloudDatabase({ serverSecretKey })).toThrow(
      /^a database with the serverSecretKey that value exists/,
    );
    expect(mock.deleteDatabase(first)).toBe(true);
    expect(mock.deleteDatabase(first)).toBe(false);
    expect(mock.addCloudDatabase({ databaseName: "taken" }).databaseName).toBe("taken");
    expect(() => first.requestQuota).not.toThrow();
    expect(first.targets).toEqual([]);
  });

  it("tell what is wrong with a target that is added without a request", async () => {
    await using mock = new MockCloudReco();
    const database = mock.addCloudDatabase({ targetQuota: 1 });
    const image = Buffer.from("no image");
    await expect(mock.addTarget(database, { image })).rejects.toThrow(
      /^target.image is refused with BadImage: /,
    );
    await expect(mock.addTarget(database, {} as never)).rejects.toThrow("Invalid target.image: got nothing;");
    const { makePng } = await import("./support/png.ts");
    const added = await mock.addTarget(database, { image: makePng(), name: "a", processed: true });
    expect(added).toMatchObject({ name: "a", status: "success", width: 1, activeFlag: true });
    expect(database.targets).toEqual([added]);
    await expect(mock.addTarget(database, { image: makePng(), name: "a" })).rejects.toThrow(
      'with the name "a" already',
    );
    await expect(mock.addTarget(database, { image: makePng() })).rejects.toThrow("targetQuota");
    expect(() => mock.setRecognitionCounts(database, "x", {})).toThrow('no target with the id "x"');
    expect(() => mock.setRecognitionCounts(database, added.targetId, { totalRecos: -1 })).toThrow(
      "counts.totalRecos",
    );
  });

  it("show no secret when they are printed by the mock", async () => {
    await using mock = new MockCloudReco();
    const { serverSecretKey } = mock.addCloudDatabase();
    expect(inspect(mock, { depth: 10 })).not.toContain(serverSecretKey);
  });
});
