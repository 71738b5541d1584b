import { afterEach, beforeEach, expect, it } from "vitest";
import { manage, sendSigned } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";
import { results } from "../query/send.ts";

const keys = { serverAccessKey: "access", serverSecretKey: "secret" };

describeBackends("operating the target manager", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
    await service.addCloudDatabase({ ...keys, databaseName: "db" });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const summary = () => sendSigned(service, keys, { method: "GET", path: "/summary" });

  it("changes a database's state, quotas, counts and limits while it is used", async () => {
    const changes = {
      state_name: "PROJECT_INACTIVE",
      request_quota: 5,
      target_quota: 0,
      reco_threshold: 6,
      total_recos: 7,
      requests_per_second_limit: 1,
      request_rate_limits: {
        other: null,
        get_target: { max_requests: 1, window_seconds: 2.5 },
        get_duplicates: null,
        list_targets: null,
      },
    };
    const ignored = { database_name: "other", server_access_key: "other" };
    const changed = await manage(service, "PUT", "/cloud_databases/db", { ...changes, ...ignored });
    expect(changed.status).toBe(200);
    expect(changed.fields).toMatchObject({ ...changes, database_name: "db", current_month_recos: 0 });
    expect((await manage(service, "GET", "/cloud_databases")).json).toEqual([changed.fields]);
    expect((await summary()).fields).toMatchObject({ target_quota: 0, request_quota: 5, total_recos: 7 });
    expect((await summary()).status).toBe(429);
    const withoutLimit = await manage(service, "PUT", "/cloud_databases/db", {
      requests_per_second_limit: null,
    });
    expect(withoutLimit.fields).toEqual({ ...changed.fields, requests_per_second_limit: null });
    expect((await summary()).status).toBe(200);
  });

  it("refuses a change as a whole", async () => {
    const refused = await manage(service, "PUT", "/cloud_databases/db", { target_quota: 1, state_name: "x" });
    expect(refused.fields.errors).toMatchObject([{ field: "state_name" }]);
    expect((await summary()).fields.target_quota).toBe(1000);
    const unknown = await manage(service, "PUT", "/cloud_databases/unknown", {});
    expect([unknown.status, unknown.text]).toEqual([
      404,
      'there is no cloud database with the name "unknown"',
    ]);
  });

  it("lists the latest requests and why they were refused", async () => {
    await manage(service, "DELETE", "/requests");
    await summary();
    await sendSigned(service, { ...keys, serverSecretKey: "x" }, { method: "GET", path: "/targets/a?b=c" });
    // Servers send their entries to the manager shortly after they have responded.
    await service.latest();
    const { fields } = await manage(service, "GET", "/requests");
    const entry = { api: "target", method: "GET", database_name: "db", considered: null };
    expect(fields).toMatchObject({
      dropped: 0,
      requests: [
        {
          ...entry,
          time: service.clock.now().toISOString(),
          operation: "databaseSummary",
          path: "/summary",
          status: 200,
          result_code: "Success",
          refused_by: null,
          reason: null,
          duration_ms: expect.any(Number),
        },
        {
          ...entry,
          operation: "getTarget",
          path: "/targets/a",
          status: 401,
          result_code: "AuthenticationFailure",
          refused_by: expect.stringMatching(/^\w+$/),
          reason: expect.stringMatching(/^check the secret key/),
          request: {
            query: "b=c",
            headers: { authorization: expect.stringMatching(/^VWS ‹key .*‹hidden, 28 characters›$/) },
            size: 0,
            body: "",
          },
          response: {
            headers: { "content-type": "application/json" },
            size: 91,
            body: expect.stringMatching(/"result_code":"AuthenticationFailure"/),
          },
        },
      ],
    });
  });

  it("lists bodies without secrets, and cut so that listing them again does not double them", async () => {
    const own = await service.addCloudDatabase({ databaseName: "bodies" });
    await manage(service, "DELETE", "/requests");
    const body = {
      name: "n".repeat(64),
      width: 1,
      image: makePng().toString("base64"),
      application_metadata: "A".repeat(400),
    };
    await sendSigned(service, own, { method: "POST", path: "/targets", body });
    for (let index = 0; index < 3; index++) await manage(service, "GET", "/cloud_databases");
    await service.latest();
    const first = await manage(service, "GET", "/requests");
    const second = await manage(service, "GET", "/requests");
    expect(first.fields.requests).toContainEqual(
      expect.objectContaining({
        operation: "addTarget",
        request: expect.objectContaining({
          body: expect.stringMatching(/"image":"‹PNG of 32x24 pixels, \d+ bytes›"/),
        }),
      }),
    );
    expect(first.text).toContain("/cloud_databases");
    expect(second.text.length).toBeLessThan(first.text.length + 5000);
    for (const secret of [own.serverSecretKey, own.clientSecretKey])
      expect(second.text).not.toContain(secret);
    await manage(service, "DELETE", "/cloud_databases/bodies");
  });

  it("lists unserved requests, and the targets that a query considered", async () => {
    const queried = await service.addCloudDatabase({ databaseName: "queried" });
    await manage(service, "POST", "/cloud_databases/queried/targets", {
      name: "poster",
      width: 1,
      image_base64: makePng().toString("base64"),
      target_id: "poster-id",
      active_flag: false,
    });
    await manage(service, "DELETE", "/requests");
    // In process there is no response; servers answer with 404.
    await sendSigned(service, keys, { method: "GET", path: "/sumary" }).catch(() => undefined);
    expect(await results(service, queried, makePng())).toEqual([]);
    await service.latest();
    const { fields } = await manage(service, "GET", "/requests");
    expect(fields.requests).toMatchObject([
      {
        api: "target",
        operation: null,
        path: "/sumary",
        status: backend.overSockets ? 404 : null,
        refused_by: "route",
      },
      {
        operation: "query",
        considered: [
          {
            target_id: "poster-id",
            name: "poster",
            matched: false,
            why: "inactive: its active_flag is false",
          },
        ],
      },
    ]);
  });

  it("restores a state from a snapshot, which is readable JSON", async () => {
    await manage(service, "POST", "/cloud_databases/db/targets", {
      name: "kept",
      width: 1,
      image_base64: makePng().toString("base64"),
      target_id: "1",
    });
    const { json: taken, fields: snapshot } = await manage(service, "GET", "/snapshot");
    expect(snapshot).toMatchObject({
      version: 2,
      databases: [{ database: { databaseName: "db" }, targets: [{ name: "kept" }] }],
    });
    const before = await manage(service, "GET", "/cloud_databases");
    await manage(service, "POST", "/reset");
    expect((await summary()).status).toBe(400);
    const restored = await manage(service, "PUT", "/snapshot", taken);
    expect([restored.status, restored.text]).toEqual([200, ""]);
    expect((await manage(service, "GET", "/cloud_databases")).json).toEqual(before.json);
    expect((await manage(service, "GET", "/snapshot")).json).toEqual(taken);
    expect((await summary()).fields).toMatchObject({ processing_images: 1 });

    const refused = await manage(service, "PUT", "/snapshot", { ...snapshot, version: 1 });
    expect([refused.status, refused.fields]).toEqual([
      400,
      {
        errors: [
          {
            field: "body",
            message: "snapshot.version: expected 2; got 1",
            accepted: "a response of GET /snapshot",
          },
        ],
      },
    ]);
    expect((await summary()).status).toBe(200);
  });

  it("finishes processing", async () => {
    const target = { name: "new", width: 1, image_base64: makePng().toString("base64") };
    await manage(service, "POST", "/cloud_databases/db/targets", {
      ...target,
      processing_time_seconds: 3600,
    });
    expect((await summary()).fields).toMatchObject({ processing_images: 1, active_images: 0 });
    expect((await manage(service, "POST", "/finish_processing")).status).toBe(200);
    expect((await summary()).fields).toMatchObject({ processing_images: 0, active_images: 1 });
  });

  it("deletes everything on a reset", async () => {
    await manage(service, "POST", "/vumark_databases", {});
    await manage(service, "POST", "/model_target_datasets", {});
    const credential = { client_id: "a", client_secret: "b", scopes: [] };
    await manage(service, "POST", "/oauth2_client_credentials", credential);
    const done = await manage(service, "POST", "/reset");
    expect([done.status, done.text]).toEqual([200, ""]);
    for (const path of ["/cloud_databases", "/vumark_databases", "/model_target_datasets"]) {
      expect((await manage(service, "GET", path)).text).toBe("[]");
    }
    expect((await manage(service, "GET", "/oauth2_client_credentials")).text).toBe("[]");
    const { requests } = (await manage(service, "GET", "/requests")).fields;
    expect(requests).toMatchObject([{ path: "/cloud_databases" }, {}, {}, {}]);
  });

  it.each(["/livez", "/readyz"])("answers 200 to GET %s", async (path) => {
    expect(await manage(service, "GET", path)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });
});
