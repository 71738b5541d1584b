import { ManualClock } from "mock-cloud-reco";
import { afterEach, beforeEach, expect, it } from "vitest";
import { manage, type SignedJson, sendSigned } from "../../support/answers.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";
import { results } from "../query/send.ts";

const NEW_YEAR = "2027-01-01T00:00:00.000Z";
const ONE_DAY = 86_400;

describeBackends("the clock over the target manager", (backend) => {
  let service: ServiceUnderTest;
  let database: DatabaseKeys;

  beforeEach(async () => {
    service = await backend.open({ processingTimeSeconds: 3600, targetRater: () => 5 });
    database = await service.addCloudDatabase({});
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const read = async () => (await manage(service, "GET", "/clock")).fields;
  const put = (body: unknown) => manage(service, "PUT", "/clock", body);
  const advance = (seconds: unknown) => manage(service, "POST", "/clock/advance", { seconds });
  /** A signed request whose client's clock is some seconds ahead of the clock that the service started with. */
  const send = (request: SignedJson, ahead = 0) => {
    const clock = new ManualClock(service.clock.now());
    clock.advance(ahead);
    return sendSigned({ ...service, clock }, database, request);
  };
  const addTarget = async () => {
    const image = makePng();
    const body = { name: "poster", width: 1, image: image.toString("base64") };
    const added = await send({ method: "POST", path: "/targets", body });
    return { image, path: `/targets/${String(added.fields.target_id)}`, id: added.fields.target_id };
  };

  it.each([
    ["PUT", "/clock", { now: "1969-12-31T23:59:59.999Z" }],
    ["PUT", "/clock", { now: "1970-01-01T00:00:00.000+00:01" }],
    ["POST", "/clock/advance", { seconds: 300_000_000_000 }],
  ])("answers 400 for a moment outside 1970 to 9999: %s %s %j", async (method, path, body) => {
    const before = await read();
    const refused = await manage(service, method, path, body);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.fields.errors)).toContain("1970 to 9999");
    expect(await read()).toEqual(before);
  });

  it("accepts the first and the last moment of 1970 to 9999", async () => {
    for (const now of ["1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]) {
      expect((await put({ now, frozen: true })).status).toBe(200);
      expect(await read()).toEqual({ now, frozen: true });
    }
    expect((await advance(0.001)).status).toBe(400);
  });

  it("is the emulator's clock until it is moved", async () => {
    expect(await read()).toEqual({ now: service.clock.now().toISOString(), frozen: false });
    service.clock.advance(1.5);
    expect(await read()).toEqual({ now: service.clock.now().toISOString(), frozen: false });
  });

  it("ends processing when it is moved, and every server checks dates against it", async () => {
    const { path, image, id } = await addTarget();
    const moved = await advance(ONE_DAY);
    const now = new Date(service.clock.now().getTime() + ONE_DAY * 1000);
    expect([moved.status, moved.fields]).toEqual([200, { now: now.toISOString(), frozen: false }]);

    expect((await send({ method: "GET", path })).fields.result_code).toBe("RequestTimeTooSkewed");
    const processed = await send({ method: "GET", path }, ONE_DAY);
    expect(processed.fields.status).toBe("success");
    expect(processed.headers.date).toBe(now.toUTCString());

    await expect(results(service, database, image)).rejects.toThrow(/RequestTimeTooSkewed/);
    await advance(-ONE_DAY + 3601);
    expect(await results(service, database, image)).toMatchObject([{ target_id: id }]);
  });

  it("stops and runs again, from now or from a given moment", async () => {
    expect((await put({ now: NEW_YEAR, frozen: true })).fields).toEqual({ now: NEW_YEAR, frozen: true });
    service.clock.advance(10);
    expect(await read()).toEqual({ now: NEW_YEAR, frozen: true });
    expect((await advance(1)).fields).toEqual({ now: "2027-01-01T00:00:01.000Z", frozen: true });
    expect((await put({ now: NEW_YEAR })).fields).toEqual({ now: NEW_YEAR, frozen: true });

    expect((await put({ frozen: false })).fields).toEqual({ now: NEW_YEAR, frozen: false });
    service.clock.advance(10);
    expect(await read()).toEqual({ now: "2027-01-01T00:00:10.000Z", frozen: false });
    expect((await put({ frozen: true })).fields).toEqual({ now: "2027-01-01T00:00:10.000Z", frozen: true });
    service.clock.advance(10);
    expect((await put({})).fields).toEqual({ now: "2027-01-01T00:00:10.000Z", frozen: true });
    expect((await put({ now: "2027-01-01T01:00:00+01:00" })).fields.now).toBe(NEW_YEAR);
  });

  it.each([
    ["DELETE", "/clock"],
    ["POST", "/reset"],
  ])("%s %s resets it", async (method, path) => {
    await put({ now: NEW_YEAR, frozen: true });
    const done = await manage(service, method, path);
    expect([done.status, done.text]).toEqual([200, ""]);
    expect(await read()).toEqual({ now: service.clock.now().toISOString(), frozen: false });
  });

  it.each([
    ["PUT", "/clock", { now: "tomorrow" }, "now"],
    ["PUT", "/clock", { now: 0 }, "now"],
    ["PUT", "/clock", { frozen: "yes" }, "frozen"],
    ["PUT", "/clock", [], "body"],
    ["POST", "/clock/advance", {}, "seconds"],
    ["POST", "/clock/advance", { seconds: "1" }, "seconds"],
    ["POST", "/clock/advance", { seconds: 1e12 }, "seconds"],
    ["POST", "/clock/advance", { seconds: -1e300 }, "seconds"],
    ["POST", "/clock/advance", "{", "body"],
  ])("answers 400 to %s %s with %j and does not move", async (method, path, body, field) => {
    const refused = await manage(service, method, path, body);
    expect([refused.status, refused.fields]).toMatchObject([400, { errors: [{ field }] }]);
    expect(await read()).toEqual({ now: service.clock.now().toISOString(), frozen: false });
  });
});
