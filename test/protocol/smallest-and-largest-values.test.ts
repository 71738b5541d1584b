import { afterAll, beforeAll, expect, it } from "vitest";
import { sendSigned } from "../support/answers.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { makePng, pngChunk } from "../support/png.ts";
import { goodPlan, imagePart, type Plan } from "../support/query-plan.ts";
import { decoded, sendPlan } from "./query/send.ts";
import { newTarget, PROCESSING_SECONDS } from "./target/requests.ts";

const base64 = (bytes: Buffer): string => bytes.toString("base64");
const SMALL = makePng();
/** An accepted PNG of so many bytes. */
const ofBytes = (bytes: number): Buffer =>
  makePng({ before: [pngChunk("tEXt", Buffer.alloc(bytes - SMALL.length - 12, 65))] });
/** A PNG whose header claims a size, with the data of another. */
function claiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const start = SMALL.subarray(0, 8);
  return Buffer.concat([start, pngChunk("IHDR", header), SMALL.subarray(8 + 25)]);
}

const later = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);

/** Limits and windows: the last value that is accepted, and the first one that is not. */
describeBackends("at the boundary of", (backend) => {
  let service: ServiceUnderTest;
  let keys: DatabaseKeys;
  let added = 0;
  beforeAll(async () => {
    service = await backend.open({ processingTimeSeconds: PROCESSING_SECONDS });
    keys = await service.addCloudDatabase();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const send = async (method: string, path: string, more: { body?: unknown; date?: string } = {}) => {
    const { status, fields } = await sendSigned(service, keys, { method, path, ...more });
    return { status, code: fields.result_code, fields };
  };
  const add = async (fields: Record<string, unknown>) => {
    added += 1;
    const { status, code } = await send("POST", "/targets", {
      body: newTarget({ name: `${added}`, ...fields }),
    });
    return [status, code];
  };
  const query = async (changes: Partial<Plan>) => {
    const response = await sendPlan(service, keys, { ...goodPlan(service.clock.now()), ...changes });
    return [response.status, decoded(response)] as const;
  };
  const CREATED = [201, "TargetCreated"];

  it.each([
    [-300, "RequestTimeTooSkewed"],
    [-299.999, "Success"],
    [299.999, "Success"],
    [300, "RequestTimeTooSkewed"],
    [301, "RequestTimeTooSkewed"],
  ])("the target API's Date window: the clock is %d s ahead of the header", async (seconds, code) => {
    const date = new Date("2026-11-21T10:42:00Z");
    service.clock.set(later(date, seconds));
    expect((await send("GET", "/summary", { date: date.toUTCString() })).code).toBe(code);
  });

  it.each([
    [-3900, 403],
    [-3899.999, 200],
    [3899.999, 200],
    [3900, 403],
  ])("the query API's Date window: the clock is %d s ahead of the header", async (seconds, status) => {
    const date = new Date("2026-11-21T10:42:00Z");
    service.clock.set(later(date, seconds));
    expect((await query({ date: date.toUTCString() }))[0]).toBe(status);
  });

  it.each<[string, Record<string, unknown>, unknown[]]>([
    ["2359293 bytes of an image", { image: base64(ofBytes(2_359_293)) }, CREATED],
    ["2359294 bytes of an image", { image: base64(ofBytes(2_359_294)) }, [422, "ImageTooLarge"]],
    // The next check refuses it, because it is incomplete.
    ["37748736 pixels", { image: base64(claiming(6144, 6144)) }, [422, "BadImage"]],
    ["37748737 pixels", { image: base64(claiming(37_748_737, 1)) }, [422, "ImageTooLarge"]],
    ["1048575 bytes of metadata", { application_metadata: base64(Buffer.alloc(1_048_575)) }, CREATED],
    [
      "1048576 bytes of metadata",
      { application_metadata: base64(Buffer.alloc(1_048_576)) },
      [422, "MetadataTooLarge"],
    ],
    ["a name of 1 character", { name: "x" }, CREATED],
    ["a name of 64 characters", { name: "\uffee".repeat(64) }, CREATED],
    ["a name of 65 characters", { name: "\uffee".repeat(65) }, [400, "Fail"]],
    ["the character U+FFFF", { name: "\uffff" }, CREATED],
    ["the character U+10000", { name: "\u{10000}" }, [500, "Fail"]],
    ["the smallest width", { width: Number.MIN_VALUE }, CREATED],
    ["no width", { width: 0 }, [400, "Fail"]],
  ])("a target: %s", async (_what, fields, expected) => {
    expect(await add(fields)).toEqual(expected);
  });

  it("a target: a width that is too large for a number", async () => {
    const body = JSON.stringify(newTarget({ name: "wide" })).replace('"width":1', '"width":1e400');
    expect(await send("POST", "/targets", { body })).toMatchObject({ status: 400, code: "Fail" });
    expect((await service.latest()).reason).toMatch(/^send width as /);
  });

  const withField = (name: string, content: string): Partial<Plan> => ({
    parts: [imagePart(SMALL), { name, content }],
  });
  it.each<[string, Partial<Plan>, number]>([
    ["1 result", withField("max_num_results", "1"), 200],
    ["50 results", withField("max_num_results", "50"), 200],
    ["51 results", withField("max_num_results", "51"), 400],
    ["0 results", withField("max_num_results", "0"), 400],
    ["2097152 bytes of an image", { parts: [imagePart(ofBytes(2_097_152))] }, 200],
    ["2097153 bytes of an image", { parts: [imagePart(ofBytes(2_097_153))] }, 413],
    ["an image 30000 pixels wide", { parts: [imagePart(claiming(30_000, 1))] }, 200],
    ["an image 30001 pixels wide", { parts: [imagePart(claiming(30_001, 1))] }, 422],
    ["an image 30000 pixels high", { parts: [imagePart(claiming(1, 30_000))] }, 200],
    ["an image 30001 pixels high", { parts: [imagePart(claiming(1, 30_001))] }, 422],
  ])("a query: %s", async (_what, changes, status) => {
    expect((await query(changes))[0]).toBe(status);
  });

  it("the target quota", async () => {
    const own = await service.addCloudDatabase({ targetQuota: 1 });
    const addTo = async (name: string) => {
      const body = newTarget({ name });
      const { fields } = await sendSigned(service, own, { method: "POST", path: "/targets", body });
      return fields.result_code;
    };
    expect([await addTo("first"), await addTo("second")]).toEqual(["TargetCreated", "TargetQuotaReached"]);
  });

  it("the state of an inactive database, which comes before its target quota", async () => {
    const own = await service.addCloudDatabase({ stateName: "PROJECT_INACTIVE", targetQuota: 0 });
    const body = newTarget({ name: "one too many" });
    const { fields } = await sendSigned(service, own, { method: "POST", path: "/targets", body });
    expect(fields.result_code).toBe("ProjectInactive");
  });

  it("a request quota", async () => {
    for (const [requestQuota, code] of [
      [1, "Success"],
      [0, "RequestQuotaReached"],
    ] as const) {
      const own = await service.addCloudDatabase({ requestQuota });
      const { fields } = await sendSigned(service, own, { method: "GET", path: "/summary" });
      expect(fields.result_code).toBe(code);
    }
  });

  it("the target's processing: null in an update is refused for the status first", async () => {
    const { fields } = await send("POST", "/targets", { body: newTarget({ name: "nulls" }) });
    const path = `/targets/${String(fields.target_id)}`;
    for (const body of [{ active_flag: null }, { application_metadata: null }]) {
      const { status, code } = await send("PUT", path, { body });
      expect([status, code]).toEqual([403, "TargetStatusNotSuccess"]);
    }
    service.clock.advance(PROCESSING_SECONDS - 0.001);
    expect((await send("PUT", path, { body: { width: 2 } })).code).toBe("TargetStatusNotSuccess");
    service.clock.advance(0.001);
    for (const body of [{ active_flag: null }, { application_metadata: null }]) {
      const { status, code } = await send("PUT", path, { body });
      expect([status, code]).toEqual([400, "Fail"]);
    }
    expect((await send("PUT", path, { body: { width: 2 } })).code).toBe("Success");
  });

  it("a body: no operation without one takes a byte", async () => {
    const { fields } = await send("POST", "/targets", { body: newTarget({ name: "bodies" }) });
    service.clock.advance(PROCESSING_SECONDS);
    const id = String(fields.target_id);
    for (const [method, path] of [
      ["GET", "/targets"],
      ["GET", `/targets/${id}`],
      ["GET", `/duplicates/${id}`],
      ["GET", "/summary"],
      ["GET", `/summary/${id}`],
      ["DELETE", `/targets/${id}`],
    ] as const) {
      const refused = await sendSigned(service, keys, { method, path, body: "x" });
      expect([method, path, refused.status, refused.text]).toEqual([method, path, 400, ""]);
      expect((await service.latest()).reason).toMatch(/body/);
    }
    expect((await send("DELETE", `/targets/${id}`)).code).toBe("Success");
  });
});
