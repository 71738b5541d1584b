import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manage } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";

const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

describeBackends("datasets and credentials of the target manager", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open({ processingTimeSeconds: 4 });
    service.clock.set(new Date("2026-11-21T10:42:00.000Z"));
  });
  afterEach(() => service[Symbol.asyncDispose]());

  describe("/model_target_datasets", () => {
    const list = async () => (await manage(service, "GET", "/model_target_datasets")).json;
    const full = {
      request_body: { name: "é", models: [{ a: null }] },
      dataset_type_name: "ADVANCED",
      processing_time_seconds: 7,
      generation_failure_message: null,
      generation_warning: { message: "m", details: [{ code: "c" }] },
      uuid: "an-id",
      created_at: "2026-11-20T10:00:00.250Z",
    };

    it("are created with defaults, in the documented order", async () => {
      const added = await manage(service, "POST", "/model_target_datasets", {});
      expect(added.status).toBe(201);
      expect(Object.entries(added.fields)).toEqual([
        ["request_body", {}],
        ["dataset_type_name", "STANDARD"],
        ["processing_time_seconds", 4],
        ["generation_failure_message", null],
        ["generation_warning", null],
        ["uuid", expect.stringMatching(/^[0-9a-f]{32}$/)],
        ["created_at", "2026-11-21T10:42:00.000Z"],
      ]);
      expect(await list()).toEqual([added.fields]);
    });

    it("keep all given fields, and replace the one with the same uuid", async () => {
      const added = await manage(service, "POST", "/model_target_datasets", full);
      expect(added.fields).toEqual(full);
      const failing = { ...full, generation_warning: null, generation_failure_message: "no" };
      await manage(service, "POST", "/model_target_datasets", failing);
      expect(await list()).toEqual([failing]);
    });

    it.each([
      [{ request_body: [] }, "request_body"],
      [{ dataset_type_name: "standard" }, "dataset_type_name"],
      [{ processing_time_seconds: null }, "processing_time_seconds"],
      [{ generation_failure_message: 1 }, "generation_failure_message"],
      [{ generation_warning: { message: "m" } }, "generation_warning.details"],
      [{ generation_warning: { message: 1, details: [] } }, "generation_warning.message"],
      [{ generation_warning: { message: "m", details: [1] } }, "generation_warning.details[0]"],
      [{ request_body: nested(101) }, "body"],
      [{ generation_warning: "w" }, "generation_warning"],
      [{ uuid: "" }, "uuid"],
      [{ created_at: "yesterday" }, "created_at"],
    ])("answer 400 for %j", async (body, field) => {
      const refused = await manage(service, "POST", "/model_target_datasets", body);
      expect(refused.status).toBe(400);
      expect(refused.fields.errors).toMatchObject([{ field }]);
    });

    it("answer 404 when they are deleted again", async () => {
      await manage(service, "POST", "/model_target_datasets", full);
      const path = "/model_target_datasets/an-id";
      expect(await manage(service, "DELETE", path)).toMatchObject({ status: 200, text: "" });
      expect(await manage(service, "DELETE", path)).toMatchObject({ status: 404, text: "" });
      expect(await list()).toEqual([]);
    });
  });

  describe("/oauth2_client_credentials", () => {
    const list = async () => (await manage(service, "GET", "/oauth2_client_credentials")).text;
    const credential = { client_id: "a/b", client_secret: "s", scopes: ["x", "y"] };

    it("adds, replaces and deletes", async () => {
      const added = await manage(service, "POST", "/oauth2_client_credentials", credential);
      expect([added.status, added.text, added.headers["content-length"]]).toEqual([204, "", "0"]);
      expect(await list()).toBe(JSON.stringify([credential]));
      await manage(service, "POST", "/oauth2_client_credentials", { ...credential, scopes: [] });
      expect(await list()).toBe(JSON.stringify([{ ...credential, scopes: [] }]));
      const path = "/oauth2_client_credentials/a%2Fb";
      expect(await manage(service, "DELETE", path)).toMatchObject({ status: 204, text: "" });
      expect(await manage(service, "DELETE", path)).toMatchObject({ status: 404, text: "" });
      expect(await list()).toBe("[]");
    });

    it("answers 400 for missing or invalid fields, and shows no secret", async () => {
      const refused = await manage(service, "POST", "/oauth2_client_credentials", {
        client_secret: 4711,
        scopes: ["", 1],
      });
      expect(refused.status).toBe(400);
      expect(refused.fields.errors).toEqual([
        {
          field: "client_id",
          message: "client_id is missing",
          accepted: "a name of 1 to 255 characters that can be a path segment",
        },
        {
          field: "client_secret",
          message: "client_secret is a value that is not shown",
          accepted: "non-empty text",
        },
        { field: "scopes[0]", message: 'scopes[0] is ""', accepted: "non-empty text" },
        { field: "scopes[1]", message: "scopes[1] is 1", accepted: "non-empty text" },
      ]);
    });
  });
});
