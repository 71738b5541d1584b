import { inspect } from "node:util";
import {
  exactMatcher,
  InvalidOptionError,
  MissingSchemeError,
  MockCloudReco,
  type MockCloudRecoOptions,
} from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { nodeClient } from "../support/clients.ts";

/** For invalid values that JavaScript users can pass. */
const construct = (options: unknown): MockCloudReco => new MockCloudReco(options as MockCloudRecoOptions);

const refused: readonly [unknown, string][] = [
  [
    { processingTimeSeconds: -1 },
    "Invalid options.processingTimeSeconds: expected a number of seconds, 0 or more; got -1.",
  ],
  [
    { processingTimeSeconds: "2" },
    'Invalid options.processingTimeSeconds: expected a number of seconds, 0 or more; got "2".',
  ],
  [{ processingTimeSeconds: Number.NaN }, "Invalid options.processingTimeSeconds: expected "],
  [{ responseDelaySeconds: Number.POSITIVE_INFINITY }, "Invalid options.responseDelaySeconds: expected "],
  [{ profile: "real" }, 'Invalid options.profile: expected "neutral" or "vuforia"; got "real".'],
  [
    { queryContentEncoding: "br" },
    'Invalid options.queryContentEncoding: expected "gzip" or "identity"; got "br".',
  ],
  [{ queryMatcher: "exact" }, "Invalid options.queryMatcher: expected exactMatcher: names are for servers"],
  [{ queryMatcher: "blurry" }, "Invalid options.queryMatcher: expected a function"],
  [{ duplicatesMatcher: 1 }, "Invalid options.duplicatesMatcher: expected a function"],
  [{ targetRater: {} }, "Invalid options.targetRater: expected a function"],
  [{ profile: () => "neutral" }, "Invalid options.profile: expected "],
  [{ profile: "n".repeat(81) }, `Invalid options.profile: expected `],
  [{ modelTargetClient: 1 }, "Invalid options.modelTargetClient: expected an object; got 1."],
  [{ requestRateLimits: 1 }, "Invalid options.requestRateLimits: expected an object, or null; got 1."],
  [{ delay: 1 }, "Invalid options.delay: expected a function"],
  [
    { unhandledRequests: "warn" },
    'Invalid options.unhandledRequests: expected "bypass", "error", "error-except-loopback", a list of allowed hosts and ' +
      'patterns, or a function (host) => boolean; got "warn".',
  ],
  [{ intercept: true }, 'Invalid options.intercept: expected "nock", "sockets" or false; got true.'],
  [
    { cloudQueryFailure: {} },
    "Invalid options.cloudQueryFailure.status: expected a whole number from 200 to 599; got nothing.",
  ],
  [{ cloudQueryFailure: { status: 99 } }, "Invalid options.cloudQueryFailure.status: expected "],
  [
    { cloudQueryFailure: { status: 500, headers: { a: 1 } } },
    "Invalid options.cloudQueryFailure.headers.a: expected text of Latin-1 characters without line breaks; got 1.",
  ],
  [
    { cloudQueryFailure: { status: 500, body: {} } },
    "Invalid options.cloudQueryFailure.body: expected text or bytes",
  ],
  [
    { modelTargetFailure: { status: 500, phases: ["upload"] } },
    'Invalid options.modelTargetFailure.phases[0]: expected "create", "status", "download" or "delete"; got "upload".',
  ],
  [
    { modelTargetGenerationFailure: { message: "" } },
    'Invalid options.modelTargetGenerationFailure.message: expected non-empty text; got "".',
  ],
  [
    { modelTargetGenerationWarning: { details: [1] } },
    "Invalid options.modelTargetGenerationWarning.details[0]: expected an object, nested at most 100 deep; got 1.",
  ],
  [
    { modelTargetTrainingAllowanceExceeded: 1 },
    "Invalid options.modelTargetTrainingAllowanceExceeded: expected true or false; got 1.",
  ],
  [
    { instanceGenerationFailure: "Fail" },
    'Invalid options.instanceGenerationFailure: expected "QuotaExceeded", "LicenseCheckFailed" or "AuthorizationFailed"; got "Fail".',
  ],
  [
    { requestsPerSecondLimit: 1.5 },
    "Invalid options.requestsPerSecondLimit: expected a whole number, 0 or more, or null; got 1.5.",
  ],
  [
    { journalCapacity: 2 ** 53 },
    "Invalid options.journalCapacity: expected a whole number, 1 or more, and at most 9007199254740991; got 9007199254740992.",
  ],
  [
    { requestRateLimits: { other: { maxRequests: 1, windowSeconds: 0 } } },
    "Invalid options.requestRateLimits.other.windowSeconds: expected a number above 0; got 0.",
  ],
  [
    { requestRateLimits: { others: null } },
    "Invalid options.requestRateLimits.others: expected other; got an unknown name.",
  ],
  [
    { modelTargetClient: { id: "a" } },
    "Invalid options.modelTargetClient.secret: expected non-empty text; got nothing.",
  ],
  [
    { clock: {} },
    "Invalid options.clock: expected an object whose now() returns a Date in the years 1970 to 9999; got an object.",
  ],
  [{ seed: {} }, "Invalid options.seed: expected text or a number; got an object."],
  [
    { processingTime: 1 },
    "Invalid options.processingTime: expected processingTimeSeconds; got an unknown name.",
  ],
  [
    { seed: 1, processingTime: 1 },
    "Invalid options.processingTime: expected processingTimeSeconds; got an unknown name.",
  ],
  [
    Object.create({ profile: "real" }),
    'Invalid options.profile: expected "neutral" or "vuforia"; got "real".',
  ],
  [{ rater: 1 }, "Invalid options.rater: expected targetRater; got an unknown name."],
  [
    { targetQuota: 1 },
    "Invalid options.targetQuota: expected no value here: move it, it is a field of a database: addCloudDatabase({ … });",
  ],
  [
    { failOnRefusedRequests: true },
    "Invalid options.failOnRefusedRequests: expected no value here: move it, it is an option of test fixtures",
  ],
  [
    { ports: {} },
    "Invalid options.ports: expected no value here: move it, it is an option of startServers of ",
  ],
  [null, "Invalid options: expected an object; got null."],
  ["neutral", 'Invalid options: expected an object; got "neutral".'],
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
    expect(() => construct(options)).toThrow("Invalid options.modelTargetUser.password: expected ");
  });

  it.each(["targetUrl", "queryUrl", "modelTargetUrl", "managerUrl"])("require a scheme in %s", (option) => {
    expect(() => construct({ [option]: "vws.example.com" })).toThrow(MissingSchemeError);
    expect(() => construct({ [option]: "vws.example.com" })).toThrow(
      'Invalid URL "vws.example.com": No scheme supplied. Perhaps you meant "https://vws.example.com".',
    );
  });

  it.each(["ftp://example.com", "https://", "https://user@example.com", "https://example.com?x", 1])(
    "refuse the base URL %s",
    (url) => {
      expect(() => construct({ targetUrl: url })).toThrow(
        /Invalid options.targetUrl: expected an http or https URL/,
      );
    },
  );

  it("treat undefined like an omitted field", async () => {
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
    expect(mock.requests).toMatchObject([{ path: "/summary", operation: "databaseSummary", status: 401 }]);
  });
});

describe("databases and targets", () => {
  it.each<[unknown, string]>([
    [{ stateName: "SLEEPING" }, 'Invalid database.stateName: expected "WORKING", "PROJECT_INACTIVE"'],
    [
      { databaseName: "" },
      'Invalid database.databaseName: expected a name of 1 to 255 characters that can be a path segment; got "".',
    ],
    [
      { serverSecretKey: 1 },
      'Invalid database.serverSecretKey: expected a key of 1 to 4096 visible ASCII characters without ":"; got a value that is not shown.',
    ],
    [{ targetQuota: -1 }, "Invalid database.targetQuota: expected a whole number, 0 or more; got -1."],
    [{ name: "x" }, "Invalid database.name: expected one of databaseId, databaseName,"],
  ])("%o is refused", async (fields, message) => {
    await using mock = new MockCloudReco();
    expect(() => mock.addCloudDatabase(fields as never)).toThrow(message);
  });

  it("must have unique keys, names and ids across both kinds", async () => {
    await using mock = new MockCloudReco();
    const first = mock.addCloudDatabase({ databaseName: "taken" });
    expect(() => mock.addCloudDatabase({ databaseName: "taken" })).toThrow(
      'a database with the databaseName "taken" already exists',
    );
    expect(() => mock.addVuMarkDatabase({ databaseName: "taken" })).toThrow(
      'a database with the databaseName "taken" already exists',
    );
    const { databaseId, serverSecretKey, clientAccessKey } = first;
    expect(() => mock.addCloudDatabase({ databaseId })).toThrow(
      `a database with the databaseId "${databaseId}" already exists`,
    );
    expect(() => mock.addCloudDatabase({ clientAccessKey })).toThrow("clientAccessKey");
    expect(() => mock.addCloudDatabase({ serverSecretKey })).toThrow(
      /^a database with this serverSecretKey already exists/,
    );
    expect(mock.deleteDatabase(first)).toBe(true);
    expect(mock.deleteDatabase(first)).toBe(false);
    expect(mock.addCloudDatabase({ databaseName: "taken" }).databaseName).toBe("taken");
    expect(() => first.requestQuota).toThrow('the database "taken" was deleted');
    expect(first.targets).toEqual([]);
  });

  it("explain what is wrong with a target that is added without a request", async () => {
    await using mock = new MockCloudReco();
    const database = mock.addCloudDatabase({ targetQuota: 1 });
    const image = Buffer.from("no image");
    await expect(mock.addTarget(database, { image })).rejects.toThrow(/^invalid target.image \(BadImage\): /);
    await expect(mock.addTarget(database, { image, metadata: "x" } as never)).rejects.toThrow(
      "Invalid target.metadata: expected applicationMetadata; got an unknown name.",
    );
    await expect(mock.addTarget(database, {} as never)).rejects.toThrow("Invalid target.image: expected ");
    const { makePng } = await import("../support/png.ts");
    const added = await mock.addTarget(database, { image: makePng(), name: "a", processed: true });
    expect(added).toMatchObject({ name: "a", status: "success", width: 1, activeFlag: true });
    expect(database.targets).toEqual([added]);
    await expect(mock.addTarget(database, { image: makePng(), name: "a" })).rejects.toThrow(
      'already has a target with the name "a"',
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
