import { type MockCloudDatabase, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { describe, expect, it, onTestFinished } from "vitest";
import { MockSession } from "../support/mock-session.ts";

const SUMMARY = { method: "GET", path: "/summary" } as const;
const FAULT = { operation: "databaseSummary", response: { status: 503 } } as const;

function opened() {
  const mock = new MockCloudReco({ processingTimeSeconds: 0 });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const session = new MockSession(mock, database);
  const summary = async () => (await session.target(SUMMARY)).status;
  const add = async () => (await session.add({ name: "taken" })).status;
  return { mock, database, session, summary, add };
}

describe("in an isolated call", () => {
  it("reset() removes outer faults and expected refusals, which stay outside", async () => {
    const { mock, summary } = opened();
    mock.addFault(FAULT);
    mock.expectRefusal({ operation: "addTarget" });
    await mock.isolate(async () => {
      await mock.reset();
      const database = mock.addCloudDatabase();
      const inside = new MockSession(mock, database);
      expect((await inside.target(SUMMARY)).status).toBe(200);
      expect(mock.missingRefusals()).toEqual([]);
    });
    expect(await summary()).toBe(503);
    expect(mock.missingRefusals()).toEqual([{ operation: "addTarget" }]);
  });

  it("expectRefusal() concerns only the requests of the call, also when they are seen outside", async () => {
    const { mock, add } = opened();
    await add();
    await mock.isolate(async () => {
      mock.expectRefusal({ operation: "addTarget" });
      mock.expectRefusal({ operation: "query" });
      expect(await add()).toBe(403);
      expect(mock.unexpectedRefusals()).toEqual([]);
      expect(mock.missingRefusals()).toEqual([{ operation: "query" }]);
    });
    expect(mock.unexpectedRefusals()).toEqual([]);
    expect(mock.missingRefusals()).toEqual([]);
    expect(await add()).toBe(403);
    expect(mock.unexpectedRefusals()).toMatchObject([{ number: 3 }]);
  });

  it("expected refusals stay so outside when the call clears its requests", async () => {
    const { mock, add } = opened();
    await add();
    await mock.isolate(async () => {
      mock.expectRefusal({ operation: "addTarget" });
      expect(await add()).toBe(403);
      mock.clearRequests();
      expect(mock.requests).toEqual([]);
    });
    expect(mock.unexpectedRefusals()).toEqual([]);
  });

  it("a fault that is used up is not used up outside", async () => {
    const { mock, summary } = opened();
    const fault = mock.addFault({ ...FAULT, times: 1 });
    await mock.isolate(async () => {
      expect([await summary(), await summary(), fault.timesApplied]).toEqual([503, 200, 1]);
      await mock.isolate(async () => expect([await summary(), fault.timesApplied]).toEqual([200, 1]));
    });
    expect(fault.timesApplied).toBe(0);
    expect([await summary(), await summary(), fault.timesApplied]).toEqual([503, 200, 1]);
  });

  it("an outer fault that its handle or reset() removes stays outside", async () => {
    const { mock, summary } = opened();
    const fault = mock.addFault(FAULT);
    await mock.isolate(async () => {
      fault.remove();
      expect(await summary()).toBe(200);
    });
    expect(await summary()).toBe(503);
    fault.remove();
    expect(await summary()).toBe(200);
  });

  it("numbers stay unique when the journal outside is cleared", async () => {
    const { mock, summary } = opened();
    await summary();
    let outside: Promise<void> = Promise.resolve();
    let clear = () => {};
    outside = new Promise<void>((resolve) => {
      clear = resolve;
    }).then(() => mock.clearRequests());
    await mock.isolate(async () => {
      await summary();
      clear();
      await outside;
      await summary();
      expect(mock.requests.map(({ number }) => number)).toEqual([2, 3]);
    });
    mock.clearRequests();
    await summary();
    expect(mock.requests).toMatchObject([{ number: 1 }]);
  });
});

it.each([{ response: { status: 503 }, executed: true }, { delaySeconds: 0.001 }])(
  "a request that the fault %o applied to never counts as refused",
  async (fault) => {
    const { mock, session } = opened();
    mock.addFault(fault);
    const rejected: unknown[] = [];
    mock.on("rejected", (entry) => rejected.push(entry));
    await session.target({ ...SUMMARY, secretKey: "wrong" });
    expect(mock.requests).toMatchObject([{ refusedBy: expect.any(String), fault: "addFault" }]);
    expect([rejected, mock.unexpectedRefusals(), mock.requestsOf({ refused: true })]).toEqual([[], [], []]);
    expect(mock.requestsOf({ refused: false })).toHaveLength(1);
    expect(mock.explain()).toMatch(/^1 request, none refused/);
  },
);

describe("the handle of a deleted database", () => {
  function replaced() {
    const { mock, database: deleted } = opened();
    mock.deleteDatabase(deleted);
    return { mock, deleted, later: mock.addCloudDatabase({ databaseName: "shop" }) };
  }

  it("does not act on a later one of the same name", async () => {
    const { mock, deleted, later } = replaced();
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(later, { name: "label", image });
    expect(deleted.targets).toEqual([]);
    expect(() => deleted.targetQuota).toThrow('the database "shop" was deleted');
    const missing = 'there is no database "shop"';
    expect(() => mock.updateDatabase(deleted, { targetQuota: 0 })).toThrow(missing);
    expect(() => mock.setRecognitionCounts(deleted, targetId, { totalRecos: 1 })).toThrow(missing);
    await expect(mock.addTarget(deleted, { image })).rejects.toThrow(missing);
    await expect(mock.updateTarget(deleted, targetId, { name: "other" })).rejects.toThrow(missing);
    expect(mock.deleteTarget(deleted, targetId)).toBe(false);
    expect(mock.deleteDatabase(deleted)).toBe(false);
    expect(later.targets).toMatchObject([{ name: "label", totalRecos: 0 }]);
    expect(later.targetQuota).toBe(1000);
  });

  it("of VuMark targets neither", () => {
    const { mock } = opened();
    const add = () => mock.addVuMarkDatabase({ databaseName: "marks", targets: [{ name: "label" }] });
    const deleted = add();
    mock.deleteDatabase(deleted);
    const later = add();
    expect([deleted.targets, later.targets.length, mock.deleteDatabase(deleted)]).toEqual([[], 1, false]);
    expect(() => mock.updateDatabase(deleted, { stateName: "PROJECT_SUSPENDED" })).toThrow("marks");
  });

  it("acts again on the database that a snapshot brings back", () => {
    const { mock, database } = opened();
    const snapshot = mock.snapshot();
    mock.deleteDatabase(database);
    mock.restore(snapshot);
    mock.updateDatabase(database, { targetQuota: 7 });
    expect(database.targetQuota).toBe(7);
  });
});

it("a request quota of 0 refuses every request of the target API, and no query", async () => {
  const { mock, database, session, summary } = opened();
  mock.updateDatabase(database satisfies MockCloudDatabase, { requestQuota: 0 });
  expect(await summary()).toBe(403);
  expect((await session.query()).status).toBe(200);
});
