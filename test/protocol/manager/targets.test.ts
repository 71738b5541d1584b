import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manage, sendSigned } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";

const image = makePng().toString("base64");
const otherImage = makePng({ fill: (index) => index }).toString("base64");
const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
const TARGETS = "/cloud_databases/d%20b/targets";
const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);

describeBackends("targets of the target manager", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open({ processingTimeSeconds: 4, targetRater: () => 3 });
    service.clock.set(new Date("2026-11-21T10:42:00.123Z"));
    await service.addCloudDatabase({ ...keys, databaseName: "d b", targetQuota: 2 });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const add = (fields: object = {}) =>
    manage(service, "POST", TARGETS, { name: "name", width: 1, image_base64: image, ...fields });
  const shown = async () => {
    const { json } = await manage(service, "GET", "/cloud_databases");
    return json;
  };
  const status = async (id: string) =>
    (await sendSigned(service, keys, { method: "GET", path: `/targets/${id}` })).fields.status;

  describe("POST …/targets", () => {
    it("adds a target with defaults, which is processed like any other", async () => {
      const added = await add();
      expect(added.status).toBe(201);
      expect(Object.entries(added.fields)).toEqual([
        ["name", "name"],
        ["width", 1],
        ["image_base64", image],
        ["active_flag", true],
        ["processing_time_seconds", 4],
        ["application_metadata", null],
        ["target_id", HEX],
        ["last_modified_date", "2026-11-21T10:42:00.123Z"],
        ["delete_date_optional", null],
        ["upload_date", "2026-11-21T10:42:00.123Z"],
        ["tracking_rating", -1],
        ["current_month_recos", 0],
        ["previous_month_recos", 0],
        ["total_recos", 0],
        ["reco_rating", ""],
      ]);
      expect(await shown()).toMatchObject([{ targets: [added.fields] }]);
      const id = String(added.fields.target_id);
      service.clock.advance(3.999);
      expect(await status(id)).toBe("processing");
      service.clock.advance(0.001);
      expect(await status(id)).toBe("success");
      expect(await shown()).toMatchObject([{ targets: [{ tracking_rating: 3 }] }]);
    });

    it("keeps the given fields, and ignores dates and ratings", async () => {
      const given = {
        width: 0.25,
        active_flag: false,
        processing_time_seconds: 0,
        application_metadata: "XN",
        target_id: "my/id",
      };
      const ignored = { tracking_rating: 1, upload_date: "x", delete_date_optional: 5, total_recos: 3 };
      const added = await add({ ...given, ...ignored });
      expect(added.fields).toMatchObject({
        ...given,
        tracking_rating: 3,
        delete_date_optional: null,
        total_recos: 0,
      });
      expect(await status("my%2Fid")).toBe("success");
    });

    it.each([
      [{ name: "" }, "name"],
      [{ name: 5 }, "name"],
      [{ width: 0 }, "width"],
      [{ width: "1" }, "width"],
      [{ active_flag: null }, "active_flag"],
      [{ active_flag: 1 }, "active_flag"],
      [{ processing_time_seconds: -0.1 }, "processing_time_seconds"],
      [{ application_metadata: "é" }, "application_metadata"],
      [{ application_metadata: 0 }, "application_metadata"],
      [{ target_id: "" }, "target_id"],
      [{ image_base64: "not base64!" }, "image_base64"],
      [{ image_base64: Buffer.from("no image").toString("base64") }, "image_base64"],
      [{ image_base64: "" }, "image_base64"],
      [{ image_base64: null }, "image_base64"],
    ])("answers 400 for %j", async (fields, field) => {
      const refused = await add(fields);
      expect(refused.status).toBe(400);
      expect(refused.fields.errors).toEqual([
        { field, message: expect.stringContaining(field), accepted: expect.stringMatching(/\w/) },
      ]);
    });

    it("names every missing or invalid field, including the image", async () => {
      const refused = await manage(service, "POST", TARGETS, { width: -1, image_base64: "AAAA" });
      expect(refused.fields.errors).toMatchObject([
        { field: "name", message: "name is missing", accepted: "non-empty text" },
        { field: "width", message: "width is -1", accepted: "a number above 0" },
        { field: "image_base64" },
      ]);
    });

    it("answers 409 when the name or id is taken, even by a deleted target, or the quota is reached", async () => {
      await add({ target_id: "id" });
      const sameName = await add();
      expect([sameName.status, sameName.text]).toEqual([
        409,
        'There is already a target with the name "name" in the database.',
      ]);
      expect((await add({ name: "other", target_id: "id" })).status).toBe(409);
      await manage(service, "DELETE", `${TARGETS}/id`);
      expect((await add({ target_id: "id" })).text).toBe(
        'The database has, or had, a target with the id "id".',
      );
      await add({ name: "1" });
      await add({ name: "2" });
      const full = await add({ name: "3" });
      expect([full.status, full.text]).toEqual([
        409,
        "Delete targets, or raise target_quota: the database accepts 2 targets and has as many.",
      ]);
    });

    it("answers 404 with one line of text for an unknown database", async () => {
      const refused = await manage(service, "POST", "/cloud_databases/unknown/targets", "no JSON");
      expect([refused.status, refused.headers["content-type"], refused.text]).toEqual([
        404,
        "text/plain",
        'there is no cloud database with the name "unknown"',
      ]);
    });
  });

  describe("PUT …/targets/{target_id}", () => {
    it("changes the given fields, whatever the status, and starts processing again", async () => {
      await add({ target_id: "id", application_metadata: "AAAA" });
      service.clock.advance(3);
      const changes = { name: "new", width: 2, active_flag: false, application_metadata: null };
      const updated = await manage(service, "PUT", `${TARGETS}/id`, { ...changes, image: otherImage });
      expect(updated.status).toBe(200);
      expect(updated.fields).toMatchObject({
        ...changes,
        image_base64: otherImage,
        last_modified_date: "2026-11-21T10:42:03.123Z",
        upload_date: "2026-11-21T10:42:00.123Z",
        tracking_rating: 3,
      });
      service.clock.advance(3.999);
      expect(await status("id")).toBe("processing");
    });

    it("changes only the date when no field is given", async () => {
      const { fields } = await add({ target_id: "id" });
      service.clock.advance(1);
      const updated = await manage(service, "PUT", `${TARGETS}/id`, {});
      expect(updated.fields).toEqual({ ...fields, last_modified_date: "2026-11-21T10:42:01.123Z" });
    });

    it("answers 400 for invalid fields, 409 for a taken name and 404 for an unknown target", async () => {
      await add({ target_id: "id" });
      await add({ name: "taken" });
      const refused = await manage(service, "PUT", `${TARGETS}/id`, { image: "AAAA", width: null });
      expect(refused.fields.errors).toMatchObject([{ field: "width" }, { field: "image" }]);
      expect((await manage(service, "PUT", `${TARGETS}/id`, { name: "taken" })).status).toBe(409);
      expect((await manage(service, "PUT", `${TARGETS}/unknown`, {})).text).toBe(
        'the cloud database "d b" has no undeleted target with the id "unknown"',
      );
    });
  });

  describe("DELETE …/targets/{target_id}", () => {
    it("deletes a target, even while it is processing, and still lists it", async () => {
      const { fields } = await add({ target_id: "id", application_metadata: "YQ==" });
      service.clock.advance(1);
      const deleted = await manage(service, "DELETE", `${TARGETS}/id`, "ignored");
      expect(deleted.status).toBe(200);
      expect(deleted.fields).toEqual({ ...fields, delete_date_optional: "2026-11-21T10:42:01.123Z" });
      const left = { ...deleted.fields, image_base64: "", application_metadata: null };
      expect(await shown()).toMatchObject([{ targets: [left] }]);
      const again = await manage(service, "DELETE", `${TARGETS}/id`);
      expect([again.status, again.text]).toEqual([404, ""]);
    });
  });

  describe("POST …/recognition_counts", () => {
    const counts = (id: string, body: unknown) =>
      manage(service, "POST", `${TARGETS}/${id}/recognition_counts`, body);

    it("sets the given counts and changes nothing else", async () => {
      const { fields } = await add({ target_id: "id" });
      service.clock.advance(1);
      const all = { current_month_recos: 1, previous_month_recos: 2, total_recos: 3 };
      expect((await counts("id", all)).status).toBe(200);
      expect((await counts("id", { previous_month_recos: 0 })).status).toBe(200);
      expect((await counts("id", {})).status).toBe(200);
      expect(await shown()).toMatchObject([
        { targets: [{ ...fields, ...all, previous_month_recos: 0 }], total_recos: 0 },
      ]);
    });

    it.each([{ total_recos: -1 }, { total_recos: 1.5 }, { total_recos: null }, { total_recos: true }])(
      "answers 400 for %j",
      async (body) => {
        await add({ target_id: "id" });
        const refused = await counts("id", body);
        expect(refused.status).toBe(400);
        expect(refused.fields.errors).toMatchObject([{ field: "total_recos" }]);
      },
    );

    it("answers 404 for an unknown or deleted target", async () => {
      await add({ target_id: "id" });
      await manage(service, "DELETE", `${TARGETS}/id`);
      expect((await counts("id", {})).status).toBe(404);
      expect((await counts("unknown", {})).status).toBe(404);
    });
  });
});
