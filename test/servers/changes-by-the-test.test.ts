import {
  type EmulatorControl,
  exactMatcher,
  ManualClock,
  MockCloudReco,
  perfectRater,
} from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { sendSigned } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

interface Opened {
  readonly control: EmulatorControl;
  readonly urls: MockCloudReco["urls"];
}

const clock = () => new ManualClock(new Date("2026-11-21T10:42:00Z"));
const opened: Readonly<Record<string, () => Promise<Opened>>> = {
  async "a mock"() {
    const options = { clock: clock(), queryMatcher: exactMatcher, targetRater: perfectRater };
    const mock = new MockCloudReco({ ...options, processingTimeSeconds: 2 });
    onTestFinished(() => mock.stop());
    return { control: mock, urls: mock.urls };
  },
  async servers() {
    const options = { clock: clock(), queryMatcher: "exact", targetRater: "perfect" } as const;
    const servers = await startServers(options);
    onTestFinished(() => servers.stop());
    return { control: servers, urls: servers.urls };
  },
};

describe.each(Object.keys(opened))("%s", (name) => {
  const open = async () => {
    const emulator = await opened[name]?.();
    if (emulator === undefined) throw new Error(`nothing to open: ${name}`);
    const { control, urls } = emulator;
    const database = control.addCloudDatabase({ databaseName: "shop" });
    const summary = async () => {
      const { target, query, manager } = urls;
      const current = { ...reached(target, query, manager), clock: new ManualClock(control.clock.now()) };
      return sendSigned(current, database, { method: "GET", path: "/summary" });
    };
    return { control, database, summary };
  };

  test("adds, changes and deletes targets without requests", async () => {
    const { control, database, summary } = await open();
    const { targetId } = await control.addTarget(database, { name: "poster", image: makePng() });
    control.finishProcessing();
    expect((await summary()).fields).toMatchObject({ active_images: 1 });
    const updated = await control.updateTarget(database, targetId, {
      name: "flyer",
      activeFlag: false,
      applicationMetadata: Buffer.from("new"),
    });
    expect(updated).toMatchObject({ name: "flyer", activeFlag: false, applicationMetadata: "bmV3" });
    expect(updated.status).toBe("processing");
    expect(database.targets).toMatchObject([{ targetId, name: "flyer" }]);
    await control.addTarget(database, { name: "other", image: makePng() });
    await expect(control.updateTarget(database, targetId, { name: "other" })).rejects.toThrow(
      'the database already has a target with the name "other"',
    );
    await expect(control.updateTarget(database, targetId, { image: Buffer.from("text") })).rejects.toThrow(
      "invalid target.image (BadImage)",
    );
    await expect(control.updateTarget(database, "unknown", {})).rejects.toThrow(
      'the database "shop" has no target with the id "unknown"',
    );
    expect([control.deleteTarget(database, targetId), control.deleteTarget(database, targetId)]).toEqual([
      true,
      false,
    ]);
    expect(database.targets).toMatchObject([{ name: "other" }]);
  });

  test("changes databases, and goes back to a snapshot", async () => {
    const { control, database, summary } = await open();
    const snapshot = control.snapshot();
    control.updateDatabase(database, { stateName: "PROJECT_SUSPENDED" });
    expect((await summary()).fields).toMatchObject({ result_code: "ProjectSuspended" });
    expect(control.deleteDatabase(database)).toBe(true);
    expect(control.findCloudDatabase("shop")).toBeUndefined();
    control.restore(snapshot);
    expect((await summary()).status).toBe(200);
    expect(control.findCloudDatabase("shop")?.stateName).toBe("WORKING");
  });

  test("keeps datasets and credentials", async () => {
    const { control } = await open();
    const { uuid } = control.addDataset({ generationFailureMessage: "no features" });
    expect(control.datasets).toMatchObject([{ uuid, status: "processing", datasetTypeName: "STANDARD" }]);
    control.finishProcessing();
    expect(control.datasets).toMatchObject([{ uuid, status: "failed" }]);
    expect(() => control.addDataset({ processingTimeSeconds: -1 })).toThrow(/dataset\.processingTimeSeconds/);
    expect([control.deleteDataset(uuid), control.deleteDataset(uuid)]).toEqual([true, false]);
    const credential = { clientId: "ci", clientSecret: "secret", scopes: [] };
    control.addCredential(credential);
    expect(control.credentials).toEqual([credential]);
    expect([control.deleteCredential("ci"), control.deleteCredential("ci")]).toEqual([true, false]);
  });

  test("moves the clock", async () => {
    const { control, database, summary } = await open();
    await control.addTarget(database, { image: makePng() });
    control.clock.advance(10);
    expect(control.clock.now()).toEqual(new Date("2026-11-21T10:42:10Z"));
    expect((await summary()).fields).toMatchObject({ active_images: 1, processing_images: 0 });
    control.clock.set(new Date("2027-01-01T00:00:00Z"), true);
    expect([control.clock.isFrozen, (await summary()).headers.date]).toEqual([
      true,
      "Fri, 01 Jan 2027 00:00:00 GMT",
    ]);
    expect(() => control.clock.advance(1e15)).toThrow(/expected a date in the years 1970 to 9999/);
    control.clock.reset();
    expect(control.clock.now()).toEqual(new Date("2026-11-21T10:42:00Z"));
  });

  test("injects failures, also by a function, and explains them", async () => {
    const { control, summary } = await open();
    using fault = control.addFault({
      when: ({ path }) => path === "/summary",
      response: { resultCode: "TooManyRequests", status: 429 },
      times: 1,
    });
    expect((await summary()).status).toBe(429);
    expect((await summary()).status).toBe(200);
    expect(fault.timesApplied).toBe(1);
    expect(control.explain()).toMatch(
      /answered with 429 TooManyRequests, by the fault that was added at test\/servers\/changes-by-the-test\.test\.ts:\d+ \(times: 1\)\n/,
    );
    control.addFault({ resetConnection: true });
    await control.reset();
    expect(control.explain()).toMatch(/^0 requests/);
    expect(control.findCloudDatabase("shop")).toBeUndefined();
    expect((await summary()).status).toBe(400);
  });

  test("refuses a function that returns a promise", async () => {
    const { control, summary } = await open();
    // The type does not restrict users' JavaScript.
    const untyped: { when(): never } = JSON.parse("{}");
    Object.assign(untyped, { when: async () => Promise.reject(new Error("in when")) });
    using fault = control.addFault({ when: untyped.when, resetConnection: true });
    const message = "expected true or false; got [object Promise] (object)";
    const given = await summary().then(
      ({ status, text }) => `${status} ${text}`,
      (error: unknown) => String(error),
    );
    expect(given).toMatch(/^(500|TypeError:) /);
    expect(given).toContain(message);
    expect(control.explain()).toContain(message);
    expect(fault.timesApplied).toBe(0);
  });
});
