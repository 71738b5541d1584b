import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manage } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { ALL } from "../../support/combinations.ts";

const HEX = expect.stringMatching(/^[0-9a-f]{32}$/);

const LIMITS = {
  other: { max_requests: 15, window_seconds: 1 },
  get_target: null,
  get_duplicates: { max_requests: 0, window_seconds: 0.5 },
  list_targets: null,
};

const full = {
  database_id: "id",
  database_name: "näme",
  server_access_key: "sa",
  server_secret_key: "ss",
  client_access_key: "ca",
  client_secret_key: "cs",
  state_name: "PROJECT_INACTIVE",
  database_type_name: "CLOUD_RECO",
  targets: [],
  request_quota: 1,
  reco_threshold: 2,
  current_month_recos: 3,
  previous_month_recos: 4,
  total_recos: 5,
  target_quota: 6,
  requests_per_second_limit: 7,
  request_rate_limits: LIMITS,
};

describeBackends("cloud databases of the target manager", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
  });
  afterEach(() => service[Symbol.asyncDispose]());

  describe("POST /cloud_databases", () => {
    it("creates a database with the defaults of a free license", async () => {
      const added = await manage(service, "POST", "/cloud_databases", {});
      expect(added.status).toBe(201);
      expect(added.headerNames).toEqual(["Content-Type", "Date", "Content-Length"]);
      expect(added.headers["content-type"]).toBe("application/json");
      expect(added.fields).toEqual({
        database_id: HEX,
        database_name: HEX,
        server_access_key: HEX,
        server_secret_key: HEX,
        client_access_key: HEX,
        client_secret_key: HEX,
        state_name: "WORKING",
        database_type_name: "CLOUD_RECO",
        targets: [],
        request_quota: 100_000,
        reco_threshold: 1000,
        current_month_recos: 0,
        previous_month_recos: 0,
        total_recos: 0,
        target_quota: 1000,
        requests_per_second_limit: null,
        request_rate_limits: null,
      });
      expect((await manage(service, "GET", "/cloud_databases")).json).toEqual([added.json]);
    });

    it("keeps every field, and shows them in the documented order", async () => {
      const added = await manage(service, "POST", "/cloud_databases", full);
      expect(added.text).toBe(JSON.stringify(full).replace("ä", "\\u00e4"));
      expect((await manage(service, "GET", "/cloud_databases")).text).toBe(`[${added.text}]`);
    });

    it("ignores the field targets, whatever its value, and reads 5.0 as 5", async () => {
      const body = '{"targets":"x","target_quota":5.0}';
      expect((await manage(service, "POST", "/cloud_databases", body)).fields).toMatchObject({
        targets: [],
        target_quota: 5,
      });
    });

    it("uses the emulator's limits when none are given, and no limits when null is given", async () => {
      await using limited = await backend.open({
        requestsPerSecondLimit: 9,
        managerUrl: "http://limited.test",
      });
      const own = await manage(limited, "POST", "/cloud_databases", { requests_per_second_limit: null });
      expect(own.fields).toMatchObject({ requests_per_second_limit: null });
      expect((await manage(limited, "POST", "/cloud_databases", {})).fields).toMatchObject({
        requests_per_second_limit: 9,
      });
    });

    it.each([
      ["", "body", "body is not valid JSON"],
      ["{", "body", "body is not valid JSON"],
      ["[]", "body", "body is an array of 0"],
      ["null", "body", "body is null"],
      [Buffer.from([0x7b, 0xff, 0x7d]), "body", "body is not valid JSON"],
    ])("answers 400 for the body %j", async (body, field, message) => {
      const refused = await manage(service, "POST", "/cloud_databases", body);
      expect(refused.status).toBe(400);
      expect(refused.fields).toEqual({ errors: [{ field, message, accepted: "a JSON object" }] });
    });

    it.each(["server_access_key", "server_secret_key", "client_access_key", "client_secret_key"])(
      "refuses a %s that no header can carry, without showing it",
      async (field) => {
        for (const key of ["", "with space", "with:colon", "schlüssel", "line\nfeed", "x".repeat(4097)]) {
          const refused = await manage(service, "POST", "/cloud_databases", { [field]: key });
          expect(refused.status).toBe(400);
          expect(refused.fields).toEqual({
            errors: [
              {
                field,
                message: expect.stringMatching(new RegExp(`^${field} `)),
                accepted: 'a key of 1 to 4096 visible ASCII characters without ":"',
              },
            ],
          });
          if (field.includes("secret") && key !== "") expect(refused.text).not.toContain(key);
        }
        const accepted = `!9;~${"x".repeat(4092)}`;
        const added = await manage(service, "POST", "/cloud_databases", { [field]: accepted });
        expect([added.status, added.fields[field]]).toEqual([201, accepted]);
      },
    );

    it("takes quotas of up to 2^53-1, and says so", async () => {
      const most = Number.MAX_SAFE_INTEGER;
      const added = await manage(service, "POST", "/cloud_databases", {
        request_quota: most,
        target_quota: most,
      });
      expect(added.fields).toMatchObject({ request_quota: most, target_quota: most });
      const refused = await manage(service, "POST", "/cloud_databases", { request_quota: most + 1 });
      expect(refused.fields).toEqual({
        errors: [
          {
            field: "request_quota",
            message: "request_quota is 9007199254740992",
            accepted: "a whole number, 0 or more, and at most 9007199254740991",
          },
        ],
      });
    });

    it("names every invalid field, with what is expected", async () => {
      const refused = await manage(service, "POST", "/cloud_databases", {
        database_name: "",
        server_secret_key: 12345,
        state_name: "working",
        target_quota: true,
        request_quota: 1.5,
        reco_threshold: null,
        requests_per_second_limit: -1,
        request_rate_limits: {
          other: { max_requests: "many", window_seconds: 0 },
          get_target: { window_seconds: 1 },
          list_targets: 5,
        },
      });
      expect(refused.status).toBe(400);
      const whole = "a whole number, 0 or more";
      expect(refused.fields).toEqual({
        errors: [
          {
            field: "database_name",
            message: 'database_name is ""',
            accepted: "a name of 1 to 255 characters that can be a path segment",
          },
          {
            field: "server_secret_key",
            message: "server_secret_key is a value that is not shown",
            accepted: 'a key of 1 to 4096 visible ASCII characters without ":"',
          },
          {
            field: "state_name",
            message: 'state_name is "working"',
            accepted: '"WORKING", "PROJECT_INACTIVE", "PROJECT_SUSPENDED" or "PROJECT_HAS_NO_API_ACCESS"',
          },
          { field: "request_quota", message: "request_quota is 1.5", accepted: whole },
          { field: "reco_threshold", message: "reco_threshold is null", accepted: whole },
          { field: "target_quota", message: "target_quota is true", accepted: whole },
          {
            field: "requests_per_second_limit",
            message: "requests_per_second_limit is -1",
            accepted: `${whole}, or null`,
          },
          {
            field: "request_rate_limits.other.max_requests",
            message: 'request_rate_limits.other.max_requests is "many"',
            accepted: whole,
          },
          {
            field: "request_rate_limits.other.window_seconds",
            message: "request_rate_limits.other.window_seconds is 0",
            accepted: "a number above 0",
          },
          {
            field: "request_rate_limits.get_target.max_requests",
            message: "request_rate_limits.get_target.max_requests is missing",
            accepted: whole,
          },
          {
            field: "request_rate_limits.list_targets",
            message: "request_rate_limits.list_targets is 5",
            accepted: "an object, or null",
          },
        ],
      });
    });

    it.each([
      [{ request_quot: 1 }, "request_quot", "request_quota"],
      [{ requestQuota: 1 }, "requestQuota", "request_quota"],
      [{ request_rate_limits: { get_targets: null } }, "request_rate_limits.get_targets", "get_target"],
      [{ request_rate_limits: { xyz: null } }, "request_rate_limits.xyz", /^one of other, get_target, /],
      [{ database_type_name: "INSTANT" }, "database_type_name", '"CLOUD_RECO"'],
      [{ database_name: "a".repeat(256) }, "database_name", /255 characters/],
      [{ database_name: "\ud800" }, "database_name", /255 characters/],
      [{ database_id: ".." }, "database_id", /255 characters/],
    ])("answers 400 for %j, naming the field and what is expected", async (body, field, accepted) => {
      const refused = await manage(service, "POST", "/cloud_databases", body);
      expect(refused.status).toBe(400);
      const expected = typeof accepted === "string" ? accepted : expect.stringMatching(accepted);
      expect(refused.fields.errors).toMatchObject([{ field, accepted: expected }]);
    });

    it.runIf(ALL || backend.overSockets)(
      "names only some of many unknown fields, and none of a million, which it does not parse",
      async () => {
        const post = (count: number) => {
          const names = Array.from({ length: count }, (_, index) => `"field_${index}":0`);
          return manage(service, "POST", "/cloud_databases", `{${names.join()}}`);
        };
        const { errors, more_errors } = (await post(50_000)).fields;
        expect([errors, more_errors]).toEqual([expect.objectContaining({ length: 20 }), 49_980]);
        expect((await post(1_000_000)).fields.errors).toMatchObject([{ field: "body" }]);
      },
    );

    it.each([
      ["database_id", "database id"],
      ["database_name", "name"],
      ["server_access_key", "server access key"],
      ["server_secret_key", "server secret key"],
      ["client_access_key", "client access key"],
      ["client_secret_key", "client secret key"],
    ])("answers 409 when the %s is taken; case matters", async (field, noun) => {
      await manage(service, "POST", "/cloud_databases", { [field]: "taken" });
      const refused = await manage(service, "POST", "/cloud_databases", { [field]: "taken" });
      expect(refused.status).toBe(409);
      expect(refused.headers["content-type"]).toBe("text/plain");
      expect(refused.text).toBe(
        `All ${noun}s must be unique. There is already a database with the ${noun} "taken".`,
      );
      expect((await service.latest()).reason).not.toContain("taken");
      expect((await manage(service, "POST", "/cloud_databases", { [field]: "Taken" })).status).toBe(201);
    });

    it("reports the first conflict in the resource's order", async () => {
      await manage(service, "POST", "/cloud_databases", full);
      const { database_id: _, ...rest } = full;
      expect((await manage(service, "POST", "/cloud_databases", rest)).text).toContain('the name "näme"');
    });
  });

  describe("DELETE /cloud_databases/{database_name}", () => {
    it("frees the name and keys", async () => {
      await manage(service, "POST", "/cloud_databases", full);
      const deleted = await manage(service, "DELETE", `/cloud_databases/${encodeURIComponent("näme")}`, "x");
      expect(deleted.status).toBe(200);
      expect(deleted.headerNames).toEqual(["Date", "Content-Length"]);
      expect(deleted.body).toHaveLength(0);
      expect((await manage(service, "GET", "/cloud_databases")).json).toEqual([]);
      expect((await manage(service, "POST", "/cloud_databases", full)).status).toBe(201);
    });

    it("answers 404 with an empty body for an unknown name or that of a VuMark database", async () => {
      await manage(service, "POST", "/vumark_databases", { database_name: "label" });
      for (const name of ["unknown", "label"]) {
        const refused = await manage(service, "DELETE", `/cloud_databases/${name}`);
        expect(refused.status).toBe(404);
        expect(refused.body).toHaveLength(0);
      }
      expect((await service.latest()).reason).toBe('there is no cloud database with the name "label"');
    });
  });
});
