import { afterEach, beforeEach, expect, it } from "vitest";
import { manage } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";

const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);
const TARGETS = "/vumark_databases/label/vumark_targets";

describeBackends("VuMark databases of the target manager", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
    service.clock.set(new Date("2026-11-21T10:42:00.000Z"));
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const list = async () => (await manage(service, "GET", "/vumark_databases")).json;

  it("are created with defaults, in the documented order", async () => {
    const added = await manage(service, "POST", "/vumark_databases", { vumark_targets: "ignored" });
    expect(added.status).toBe(201);
    expect(Object.entries(added.fields)).toEqual([
      ["database_name", HEX],
      ["server_access_key", HEX],
      ["server_secret_key", HEX],
      ["vumark_targets", []],
      ["state_name", "WORKING"],
    ]);
    expect(await list()).toEqual([added.fields]);
    expect((await manage(service, "GET", "/cloud_databases")).json).toEqual([]);
  });

  it("need names and server keys that no cloud database has either", async () => {
    const taken = { database_name: "n", server_access_key: "a", server_secret_key: "s" };
    await manage(service, "POST", "/cloud_databases", { ...taken, client_access_key: "c" });
    const refused = await manage(service, "POST", "/vumark_databases", { server_secret_key: "s" });
    expect([refused.status, refused.text]).toEqual([
      409,
      'All server secret keys must be unique. There is already a database with the server secret key "s".',
    ]);
    const clientKeyIsFree = { server_access_key: "c" };
    expect((await manage(service, "POST", "/vumark_databases", clientKeyIsFree)).status).toBe(201);
    await manage(service, "DELETE", "/cloud_databases/n");
    expect((await manage(service, "POST", "/vumark_databases", taken)).status).toBe(201);
  });

  it("answer 400 for invalid fields", async () => {
    const refused = await manage(service, "POST", "/vumark_databases", {
      state_name: null,
      database_name: 1,
    });
    expect(refused.fields.errors).toMatchObject([{ field: "database_name" }, { field: "state_name" }]);
  });

  it("hold template targets, each once", async () => {
    await manage(service, "POST", "/vumark_databases", { database_name: "label" });
    const target = {
      target_id: "t",
      name: "template",
      processing_time_seconds: 1.5,
      last_modified_date: "2026-11-20T12:00:00.123456+02:00",
      upload_date: "2026-11-19T10:00:00.5",
    };
    const added = await manage(service, "POST", TARGETS, target);
    expect(added.status).toBe(201);
    expect(Object.entries(added.fields)).toEqual([
      ["target_id", "t"],
      ["name", "template"],
      ["processing_time_seconds", 1.5],
      ["last_modified_date", "2026-11-20T10:00:00.123Z"],
      ["upload_date", "2026-11-19T10:00:00.500Z"],
    ]);
    expect((await manage(service, "POST", TARGETS, target)).status).toBe(201);
    const other = await manage(service, "POST", TARGETS, { name: "template" });
    expect(other.fields).toEqual({
      target_id: HEX,
      name: "template",
      processing_time_seconds: 0,
      last_modified_date: "2026-11-21T10:42:00.000Z",
      upload_date: "2026-11-21T10:42:00.000Z",
    });
    expect(await list()).toMatchObject([{ vumark_targets: [added.fields, other.fields] }]);
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "n", upload_date: "2026-02-30T00:00:00Z" }, "upload_date"],
    [{ name: "n", upload_date: "2026-02-03" }, "upload_date"],
    [{ name: "n", last_modified_date: 5 }, "last_modified_date"],
    [{ name: "n", processing_time_seconds: "1" }, "processing_time_seconds"],
  ])("answer 400 for the template target %j", async (target, field) => {
    await manage(service, "POST", "/vumark_databases", { database_name: "label" });
    const refused = await manage(service, "POST", TARGETS, target);
    expect(refused.fields.errors).toMatchObject([{ field }]);
  });

  it("answer 404 for an unknown name or that of a cloud database", async () => {
    await manage(service, "POST", "/cloud_databases", { database_name: "label" });
    const refused = await manage(service, "POST", TARGETS, { name: "n" });
    expect([refused.status, refused.text]).toEqual([
      404,
      'there is no VuMark database with the name "label"',
    ]);
    const gone = await manage(service, "DELETE", "/vumark_databases/label");
    expect([gone.status, gone.text]).toEqual([404, ""]);
  });

  it("are deleted with their targets", async () => {
    await manage(service, "POST", "/vumark_databases", { database_name: "label" });
    await manage(service, "POST", TARGETS, { name: "n" });
    const deleted = await manage(service, "DELETE", "/vumark_databases/label");
    expect([deleted.status, deleted.text]).toEqual([200, ""]);
    await manage(service, "POST", "/vumark_databases", { database_name: "label" });
    expect(await list()).toMatchObject([{ vumark_targets: [] }]);
  });

  it("can change their state while they are used", async () => {
    await manage(service, "POST", "/vumark_databases", { database_name: "label" });
    const state_name = "PROJECT_SUSPENDED";
    const changed = await manage(service, "PUT", "/vumark_databases/label", { state_name });
    expect([changed.status, changed.fields.state_name]).toEqual([200, state_name]);
    expect(await list()).toEqual([changed.fields]);
    expect((await manage(service, "PUT", "/vumark_databases/label", { state_name: "x" })).status).toBe(400);
    expect((await manage(service, "PUT", "/vumark_databases/unknown", {})).status).toBe(404);
  });
});
