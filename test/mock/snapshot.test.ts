import fc from "fast-check";
import { InvalidSnapshotError, MockCloudReco, type Snapshot } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { makePng } from "../support/png.ts";
import { opened, populated } from "./populated-mock.ts";

const onDisk = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot));
const json = (text: Buffer) => JSON.parse(text.toString());

describe("a snapshot", () => {
  it("restores the whole state, also after JSON, in this mock and in another", async () => {
    await using service = opened();
    const { mock } = service;
    await populated(service);
    const snapshot = mock.snapshot();
    await mock.reset();
    expect(mock.snapshot()).not.toEqual(snapshot);
    mock.restore(snapshot);
    expect(mock.snapshot()).toEqual(snapshot);
    await mock.reset();
    mock.restore(onDisk(snapshot));
    expect(mock.snapshot()).toEqual(snapshot);
    await using other = new MockCloudReco();
    other.restore(onDisk(snapshot));
    expect(onDisk(other.snapshot())).toEqual(onDisk(snapshot));
  });

  it.each([
    ["as it is", (snapshot: Snapshot) => snapshot],
    ["written and read again", onDisk],
  ])("is a state like any other to requests (%s)", async (_how, carried) => {
    await using service = opened();
    const { mock, clock, database, session } = service;
    await populated(service);
    const snapshot = carried(mock.snapshot());
    await session.target({ method: "DELETE", path: "/targets/1" });
    await session.target({ method: "GET", path: "/targets" });
    await session.add({ name: "new" });
    mock.updateDatabase(database, { stateName: "PROJECT_SUSPENDED" });
    mock.restore(snapshot);

    expect(database.targets.map(({ name, status }) => [name, status])).toEqual([
      ["done", "success"],
      ["same image", "processing"],
    ]);
    expect(json((await session.query(makePng())).body).results).toMatchObject([{ target_id: "1" }]);
    expect((await session.target({ method: "GET", path: "/targets" })).status).toBe(200);
    expect(
      (await session.target({ method: "GET", path: "/targets" })).status,
      "the second budgeted request",
    ).toBe(429);
    expect((await session.add({ name: "done" })).status).toBe(403);
    expect((await session.add({ name: "gone" })).status, "the deleted target's name is free").toBe(201);
    clock.advance(1.5);
    expect(database.targets.map(({ status }) => status)).toEqual(["success", "success", "processing"]);
    expect((await session.target({ method: "GET", path: "/summary" })).status).toBe(200);
  });

  it("keeps the order of creation", async () => {
    await using service = opened({ processingTimeSeconds: 0 });
    const { mock, session, database, clock } = service;
    for (const name of ["c", "a", "b"]) {
      await session.add({ name });
      clock.advance(0.001);
    }
    mock.restore(onDisk(mock.snapshot()));
    await session.add({ name: "d" });
    const ids = database.targets.map(({ targetId }) => targetId);
    expect(database.targets.map(({ name }) => name)).toEqual(["c", "a", "b", "d"]);
    expect(json((await session.target({ method: "GET", path: "/targets" })).body).results).toEqual(ids);
  });

  it("contains each image once, and no journal", async () => {
    await using service = opened();
    await populated(service);
    const snapshot = service.mock.snapshot();
    // Without the image that only a deleted target had.
    expect(Object.keys(snapshot.images)).toHaveLength(1);
    expect(JSON.stringify(snapshot)).not.toContain("/targets");
    expect(service.mock.requests.length).toBeGreaterThan(0);
    const before = service.mock.requests;
    service.mock.restore(snapshot);
    expect(service.mock.requests).toEqual(before);
    service.mock.clearRequests();
    expect([service.mock.requests, service.database.targets.length]).toEqual([[], 2]);
  });

  it("does not change with the mock, and is read-only", async () => {
    await using service = opened();
    const { mock, database } = service;
    await populated(service);
    const snapshot = mock.snapshot();
    const text = JSON.stringify(snapshot);
    mock.finishProcessing();
    mock.deleteDatabase(database);
    expect(JSON.stringify(snapshot)).toBe(text);
    for (const part of [snapshot, snapshot.databases, snapshot.databases[0]?.targets[0], snapshot.images]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("leaves objects from requests and options writable", async () => {
    const details = [{ code: "X" }];
    await using service = opened({ modelTargetGenerationWarning: { details } });
    await populated(service);
    service.mock.snapshot();
    expect(Object.isFrozen(details)).toBe(false);
  });
});

describe("restoring", () => {
  const good = async () => {
    await using service = opened();
    await populated(service);
    return JSON.stringify(service.mock.snapshot());
  };

  it.each<[string, (snapshot: Record<string, never>, text: string) => unknown, string]>([
    ["nothing", () => undefined, "snapshot: expected an object; got nothing"],
    ["a list", () => [], "snapshot: expected an object; got an array of 0"],
    [
      "another version",
      (_, text) => JSON.parse(text.replace('"version":2', '"version":1')),
      "snapshot.version: expected 2; got 1",
    ],
    [
      "no datasets",
      (_, text) => JSON.parse(text.replace('"datasets"', '"data"')),
      "snapshot.datasets: expected a list, each ",
    ],
    [
      "a width that is text",
      (_, text) => JSON.parse(text.replace('"width":1', '"width":"1"')),
      "snapshot.databases[0].targets[0].width: expected a number above 0; got other text",
    ],
    [
      "an unknown state",
      (_, text) => JSON.parse(text.replace('"WORKING"', '"WORKNG"')),
      'snapshot.databases[0].database.stateName: expected "WORKING", "PROJECT_INACTIVE", ',
    ],
    [
      "a limit that is text",
      (_, text) => JSON.parse(text.replace('"maxRequests":2', '"maxRequests":"2"')),
      "snapshot.databases[0].database.requestRateLimits.listTargets.maxRequests: expected a whole number, 0 or more; got other text",
    ],
    [
      "a database without its secret",
      (_, text) => JSON.parse(text.replace('"serverSecretKey"', '"secret"')),
      'snapshot.databases[0].database.serverSecretKey: expected a key of 1 to 4096 visible ASCII characters without ":"; got nothing',
    ],
    [
      "a rating that does not exist",
      (_, text) => JSON.parse(text.replace('"rating":5', '"rating":6')),
      "targets[0].rating: expected a whole number from 0 to 5; got 6",
    ],
    [
      "a date that does not exist",
      (_, text) => JSON.parse(text.replace(/"uploadDate":\d+/, '"uploadDate":9e15')),
      "targets[0].uploadDate: expected a moment, in milliseconds since 1970; got 9000000000000000",
    ],
    [
      "an image that is not there",
      (_, text) => ({ ...JSON.parse(text), images: {} }),
      "which snapshot.images does not hold",
    ],
    [
      "an image of another hash",
      (_, text) => JSON.parse(text.replace(/("[0-9a-f]{64}":")iVBO/, "$1AAAA")),
      "is not the base64 of an image with that SHA-256",
    ],
    [
      "two targets of one name",
      (_, text) => JSON.parse(text.replace('"same image"', '"done"')),
      "snapshot.databases[0].targets[2].name: expected a unique value; got that of another record",
    ],
    [
      "two targets of one id",
      (_, text) => JSON.parse(text.replace('"targetId":"3"', '"targetId":"1"')),
      "snapshot.databases[0].targets[2].targetId: expected a unique value; got that of another record",
    ],
    [
      "two databases of one name",
      (_, text) => JSON.parse(text.replace('"databaseName":"labels"', '"databaseName":"shop"')),
      "snapshot.databases[1].database.databaseName: expected a unique value; got that of another record",
    ],
  ])("refuses %s, and changes nothing", async (_what, broken, message) => {
    const text = await good();
    await using service = opened();
    const before = onDisk(service.mock.snapshot());
    const snapshot: Snapshot = JSON.parse(JSON.stringify({ snapshot: broken({}, text) })).snapshot;
    expect(() => service.mock.restore(snapshot)).toThrow(InvalidSnapshotError);
    expect(() => service.mock.restore(snapshot)).toThrow(message);
    expect(onDisk(service.mock.snapshot())).toEqual(before);
  });

  it.each(["databases", "images"])("refuses 130,000 wrong %s by the first one", async (name) => {
    await using service = opened();
    const many = Array.from({ length: 130_000 }, () => 1);
    const wrong =
      name === "images" ? Object.fromEntries(many.map((value, index) => [`a${index}`, value])) : many;
    const snapshot = { ...service.mock.snapshot(), [name]: wrong } as Snapshot;
    expect(() => service.mock.restore(snapshot)).toThrow(
      /^snapshot\.(\w+\[0\]|images\.a0): expected .*; got 1$/,
    );
  });

  it("refuses or restores any other change, and shows no secret", async () => {
    const text = await good();
    const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(({ 0: found, index }) => ({ found, index }));
    await using service = opened();
    const { mock } = service;
    const secret = JSON.parse(text).databases[0].database.serverSecretKey;
    fc.assert(
      fc.property(
        fc.constantFrom(...strings),
        fc.constantFrom('"x"', '""', "1", "null", "[]", "{}", "true"),
        ({ found, index }, replacement) => {
          const changed = text.slice(0, index) + replacement + text.slice(index + found.length);
          let snapshot: Snapshot;
          try {
            snapshot = JSON.parse(changed);
          } catch {
            return; // the name of a field has to be text
          }
          try {
            mock.restore(snapshot);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidSnapshotError);
            expect(String(error)).toContain("snapshot");
            expect(String(error)).not.toContain(secret);
          }
        },
      ),
    );
  });
});
