import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manage, sendSigned } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";
import { signedRequest } from "../../support/signed-request.ts";
import { pdfTitle, pngTexts, xmlTextOf } from "./read-back.ts";

const unknownKeys = { serverAccessKey: "unknown", serverSecretKey: "unknown" };
const templateKeys = { serverAccessKey: "ta", serverSecretKey: "ts" };
const cloudKeys = { serverAccessKey: "ca", serverSecretKey: "cs" };

describeBackends("instances of template targets", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
    await service.addVuMarkDatabase({ ...templateKeys, databaseName: "templates" });
    await service.addCloudDatabase({ ...cloudKeys, databaseName: "cloud" });
    await addTemplate({ name: "label", target_id: "label" });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const addTemplate = async (fields: object) => {
    const added = await manage(service, "POST", "/vumark_databases/templates/vumark_targets", fields);
    expect(added.status).toBe(201);
  };

  interface Wanted {
    readonly target?: string;
    readonly accept?: string | null;
    readonly body?: unknown;
    readonly keys?: typeof templateKeys;
  }

  const generate = ({
    target = "label",
    accept = "image/png",
    body = { instance_id: "id-1" },
    keys = templateKeys,
  }: Wanted = {}) =>
    sendSigned(service, keys, {
      method: "POST",
      path: `/targets/${target}/instances`,
      body,
      headers: { Accept: accept },
    });

  it("are PNG, SVG or PDF, according to Accept, and contain the id", async () => {
    const png = await generate();
    expect(png.status).toBe(200);
    expect(pngTexts(png.body)).toEqual([{ type: "tEXt", keyword: "instance_id", text: "id-1" }]);
    expect(png.headers["content-type"]).toBe("image/png");
    expect(png.headerNames).toEqual([
      "Connection",
      "Content-Type",
      "server",
      "x-proxy-upstream-service-time",
      "strict-transport-security",
      "x-cloud-region",
      "x-content-type-options",
      "Date",
      "Content-Length",
    ]);
    const svg = await generate({ accept: "image/svg+xml" });
    expect(svg.headers["content-type"]).toBe("image/svg+xml");
    expect(xmlTextOf(svg.text, "text")).toBe("id-1");
    const pdf = await generate({ accept: "application/pdf" });
    expect(pdf.headers["content-type"]).toBe("application/pdf");
    expect(pdf.text.startsWith("%PDF")).toBe(true);
    expect(pdfTitle(pdf.body)).toBe("id-1");
  });

  it("have the same bytes for the same id, whatever the template", async () => {
    await addTemplate({ name: "other", target_id: "other" });
    expect((await generate()).body.equals((await generate({ target: "other" })).body)).toBe(true);
  });

  it("replace a lone surrogate in the id, which no format can contain", async () => {
    const svg = await generate({ body: '{"instance_id":"a\\ud800b"}', accept: "image/svg+xml" });
    expect(xmlTextOf(svg.text, "title")).toBe("a\ufffdb");
  });

  const refusals: readonly [string, Wanted, number, string][] = [
    ["an unknown target", { target: "unknown" }, 404, "UnknownTarget"],
    ["an empty body", { body: "" }, 400, "BadRequest"],
    ["a body that is not JSON", { body: "{" }, 400, "BadRequest"],
    ["a body that is not an object", { body: [] }, 400, "BadRequest"],
    ["no instance_id", { body: {} }, 400, "BadRequest"],
    ["an unknown key", { body: { instance_id: "a", more: 1 } }, 400, "BadRequest"],
    ["an instance_id that is not a string", { body: { instance_id: 1 } }, 400, "BadRequest"],
    ["an empty instance_id", { body: { instance_id: "" } }, 422, "InvalidInstanceId"],
    ["no Accept", { accept: null }, 400, "InvalidAcceptHeader"],
    ["another Accept", { accept: "*/*" }, 400, "InvalidAcceptHeader"],
    ["an Accept that names several", { accept: "image/png, image/svg+xml" }, 400, "InvalidAcceptHeader"],
    ["keys of no database", { keys: unknownKeys }, 400, "Fail"],
    ["a wrong secret", { keys: { ...templateKeys, serverSecretKey: "x" } }, 401, "AuthenticationFailure"],
  ];
  it.each(refusals)("refuses %s", async (_, wanted, status, code) => {
    const refused = await generate(wanted);
    expect([refused.status, refused.fields.result_code]).toEqual([status, code]);
    expect((await service.latest()).reason).toMatch(/\w/);
  });

  it("are refused for a cloud database's target", async () => {
    const target = { name: "n", width: 1, image_base64: makePng().toString("base64"), target_id: "label" };
    await manage(service, "POST", "/cloud_databases/cloud/targets", target);
    const refused = await generate({ keys: cloudKeys, accept: null });
    expect([refused.status, refused.fields.result_code]).toEqual([422, "InvalidTargetType"]);
    expect((await generate({ keys: cloudKeys, target: "unknown" })).status).toBe(404);
  });

  it("answer 403 until the template is processed, which is checked before Accept", async () => {
    await addTemplate({ name: "slow", target_id: "slow", processing_time_seconds: 3 });
    service.clock.advance(2.999);
    const early = await generate({ target: "slow", accept: "x" });
    expect([early.status, early.fields.result_code]).toEqual([403, "TargetStatusNotSuccess"]);
    service.clock.advance(0.001);
    expect((await generate({ target: "slow" })).status).toBe(200);
  });

  it.each([
    ["PROJECT_INACTIVE", 200, 404],
    ["PROJECT_SUSPENDED", 403, 403],
    ["PROJECT_HAS_NO_API_ACCESS", 403, 403],
  ] as const)("of a database in the state %s", async (stateName, known, unknown) => {
    const stateKeys = { serverAccessKey: "sa", serverSecretKey: "ss" };
    await service.addVuMarkDatabase({ ...stateKeys, databaseName: "state", stateName });
    await manage(service, "POST", "/vumark_databases/state/vumark_targets", { name: "t", target_id: "t" });
    expect((await generate({ keys: stateKeys, target: "t" })).status).toBe(known);
    expect((await generate({ keys: stateKeys, target: "unknown" })).status).toBe(unknown);
  });

  it("are the only requests that accept a template database's keys", async () => {
    const summary = await sendSigned(service, templateKeys, { method: "GET", path: "/summary" });
    expect([summary.status, summary.fields.result_code]).toEqual([400, "Fail"]);
  });
});

describe("a configured failure of instance generation", () => {
  it.each([
    ["QuotaExceeded", 403],
    ["LicenseCheckFailed", 403],
    ["AuthorizationFailed", 401],
  ] as const)("%s comes before everything", async (code, status) => {
    await using mock = new MockCloudReco({ instanceGenerationFailure: code });
    const request = signedRequest({
      method: "POST",
      baseUrl: mock.urls.target,
      path: "/targets/x/instances",
      accessKey: "unknown",
      secretKey: "unknown",
      now: new Date(),
      headers: { "X-Long": "x".repeat(9000) },
    });
    const response = await nodeClient(request);
    expect(response.status).toBe(status);
    expect(response.body.toString()).toMatch(
      new RegExp(`^{"transaction_id":"[0-9a-f]{32}","result_code":"${code}"}$`),
    );
    expect(response.rawHeaders?.map(([name]) => name)).toEqual(["Content-Type", "Date", "Content-Length"]);
    expect(mock.requests.at(-1)).toMatchObject({ resultCode: code, fault: "instanceGenerationFailure" });
  });
});
