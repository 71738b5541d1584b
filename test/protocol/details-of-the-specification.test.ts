import { openApiDocument } from "mock-cloud-reco/openapi";
import { expect, it } from "vitest";
import { manage, sendSigned } from "../support/answers.ts";
import { describeBackends } from "../support/backends.ts";
import { nodeClient } from "../support/clients.ts";
import { makePng } from "../support/png.ts";
import { bearer, dataset, STANDARD } from "./model-target/requests.ts";
import { newTarget } from "./target/requests.ts";

/** Points of the specification that no table of checks contains. */
describeBackends("the letter of the protocol", (backend) => {
  it.each([
    [0, false],
    [1, true],
  ])("active_flag %i is kept as %s, when added and when updated", async (sent, kept) => {
    await using service = await backend.open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const recordOf = async (id: unknown) =>
      (await sendSigned(service, keys, { method: "GET", path: `/targets/${id}` })).fields.target_record;
    const body = newTarget({ active_flag: sent });
    const added = await sendSigned(service, keys, { method: "POST", path: "/targets", body });
    expect(added.status).toBe(201);
    expect(await recordOf(added.fields.target_id)).toMatchObject({ active_flag: kept });
    const other = newTarget({ name: "other", active_flag: !kept });
    const { fields } = await sendSigned(service, keys, { method: "POST", path: "/targets", body: other });
    const path = `/targets/${fields.target_id}`;
    const updated = await sendSigned(service, keys, { method: "PUT", path, body: { active_flag: sent } });
    expect(updated.status).toBe(200);
    expect(await recordOf(fields.target_id)).toMatchObject({ active_flag: kept });
  });

  const ask = async (at: { urls: { modelTarget: string } }, method: string, path: string, body?: object) => {
    const headers = { ...bearer(), "Content-Type": "application/json" };
    const sent = body && Buffer.from(JSON.stringify(body));
    const response = await nodeClient({ method, url: at.urls.modelTarget + path, headers, body: sent });
    const text = response.body.toString();
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
  };

  it.each(["my-id", "my%20id", "%2F", "0", "x".repeat(200), "%E2%9C%93"])(
    "a dataset's id may be any segment of a path: %s",
    async (segment) => {
      await using service = await backend.open();
      const uuid = decodeURIComponent(segment);
      const path = `${STANDARD}/${segment}`;
      expect(await ask(service, "GET", `${path}/status`)).toEqual({
        status: 404,
        json: {
          error: {
            code: "NOT_FOUND",
            message: `Could not find a model-view database with uuid ${uuid}`,
            target: "userId:mock",
          },
        },
      });
      const posted = { uuid, request_body: dataset(), processing_time_seconds: 0 };
      expect((await manage(service, "POST", "/model_target_datasets", posted)).status).toBe(201);
      expect(await ask(service, "GET", `${path}/status`)).toMatchObject({
        status: 200,
        json: { uuid, status: "done" },
      });
      expect((await ask(service, "DELETE", path)).status).toBe(200);
      expect((await ask(service, "GET", `${path}/status`)).status).toBe(404);
    },
  );

  it("a dataset with a failure and a warning fails", async () => {
    await using service = await backend.open();
    await manage(service, "POST", "/model_target_datasets", {
      uuid: "both",
      request_body: dataset(),
      processing_time_seconds: 0,
      generation_failure_message: "no surface",
      generation_warning: { message: "dark", details: [] },
    });
    const { json } = await ask(service, "GET", `${STANDARD}/both/status`);
    expect(json).toMatchObject({ status: "failed", error: { code: "ERROR", message: "no surface" } });
    expect(json).not.toHaveProperty("warning");
  });

  it.each(["neutral", "vuforia"] as const)(
    "an empty dataset name is accepted, and the OpenAPI document says so (%s)",
    async (profile) => {
      await using service = await backend.open({ profile });
      expect((await ask(service, "POST", STANDARD, { ...dataset(), name: "" })).status).toBe(201);
      const document = JSON.parse(JSON.stringify(openApiDocument({ profile })));
      const { content } = document.paths[STANDARD].post.requestBody;
      const { name } = content["application/json"].schema.properties;
      expect(name.type).toBe("string");
      expect(name).not.toHaveProperty("minLength");
      expect(name).not.toHaveProperty("pattern");
    },
  );

  it("VuMark keys get another database's 401 on the report route, after their signature was checked", async () => {
    await using service = await backend.open();
    const { databaseId } = await service.addCloudDatabase({ databaseId: "cloud" });
    const keys = await service.addVuMarkDatabase({ targets: [{ name: "label" }] });
    const path = `/imagetargets/databases/${databaseId}/reports/recoCounts`;
    const month = service.clock.now().toISOString().slice(0, 7);
    const request = { method: "POST", path, body: { month } };
    const answer = await sendSigned(service, keys, request);
    expect([answer.status, answer.fields.result_code]).toEqual([401, "AuthenticationFailure"]);
    const { refusedBy } = await service.latest();
    await sendSigned(service, { ...keys, serverSecretKey: "wrong" }, request);
    expect((await service.latest()).refusedBy).not.toBe(refusedBy);
    const other = await service.addCloudDatabase();
    await sendSigned(service, other, request);
    expect((await service.latest()).refusedBy).toBe(refusedBy);
  });

  it("a report URL whose X-Storage-Expires is negative has expired", async () => {
    await using service = await backend.open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase({ databaseId: "id" });
    const month = service.clock.now().toISOString().slice(0, 7);
    const path = "/imagetargets/databases/id/reports/recoCounts";
    const { fields } = await sendSigned(service, keys, { method: "POST", path, body: { month } });
    const url = new URL(String(fields.presigned_url));
    for (const [seconds, expected] of [
      ["604799", "200 "],
      ["-1", "403 Request has expired"],
      ["-604799", "403 Request has expired"],
    ] as const) {
      url.searchParams.set("X-Storage-Expires", seconds);
      const at = service.urls.target + url.pathname + url.search;
      const { status, body } = await nodeClient({ method: "GET", url: at, headers: {} });
      const [, message = ""] = /<Message>(.*)<\/Message>/.exec(body.toString()) ?? [];
      expect(`${status} ${message}`).toBe(expected);
    }
  });

  it("a target that was added with an image of its own is rated at once when the manager replaces it", async () => {
    await using service = await backend.open({ processingTimeSeconds: 60 });
    await service.addCloudDatabase({ databaseName: "shop" });
    const image = makePng().toString("base64");
    const path = "/cloud_databases/shop/targets";
    const posted = { name: "a", width: 1, image_base64: image, target_id: "a" };
    expect((await manage(service, "POST", path, posted)).fields.tracking_rating).toBe(-1);
    const replaced = makePng({ width: 64 }).toString("base64");
    const { fields } = await manage(service, "PUT", `${path}/a`, { image: replaced });
    expect(fields.tracking_rating).toBeGreaterThanOrEqual(0);
  });
});
