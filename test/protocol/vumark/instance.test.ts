import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manage, sendSigned } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { signedRequest } from "../../support/signed-request.ts";
import { newTarget } from "../target/requests.ts";
import { pdfTitle, pngTexts, xmlTextOf } from "./read-back.ts";

const templateKeys = { serverAccessKey: "ta", serverSecretKey: "ts" };

describeBackends("instances of template targets", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
    await service.addVuMarkDatabase({ ...templateKeys, databaseName: "templates" });
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

  it("contain an id of Latin-1 twice in a PNG", async () => {
    const { body } = await generate({ body: { instance_id: "é" } });
    const text = { keyword: "instance_id", text: "é" };
    expect(pngTexts(body)).toEqual([
      { type: "tEXt", ...text },
      { type: "iTXt", ...text },
    ]);
  });

  it("have the same bytes for the same id, whatever the template", async () => {
    await addTemplate({ name: "other", target_id: "other" });
    expect((await generate()).body.equals((await generate({ target: "other" })).body)).toBe(true);
  });

  it("replace a lone surrogate in the id, which no format can contain", async () => {
    const svg = await generate({ body: '{"instance_id":"a\\ud800b"}', accept: "image/svg+xml" });
    expect(xmlTextOf(svg.text, "title")).toBe("a\ufffdb");
  });

  it("are refused for a cloud database's target before its processing is looked at", async () => {
    const cloud = { serverAccessKey: "ca", serverSecretKey: "cs" };
    await service.addCloudDatabase(cloud);
    const added = await sendSigned(service, cloud, { method: "POST", path: "/targets", body: newTarget() });
    const { status, fields } = await generate({ target: String(added.fields.target_id), keys: cloud });
    expect([status, fields.result_code]).toEqual([422, "InvalidTargetType"]);
  });

  it("are refused with the keys of an inactive cloud database before its target is looked for", async () => {
    const cloud = { serverAccessKey: "ca", serverSecretKey: "cs" };
    await service.addCloudDatabase({ ...cloud, stateName: "PROJECT_INACTIVE" });
    const { status, fields } = await generate({ keys: cloud });
    expect([status, fields.result_code]).toEqual([403, "ProjectInactive"]);
  });

  it("answer 403 until the template is processed, which is checked before Accept", async () => {
    await addTemplate({ name: "slow", target_id: "slow", processing_time_seconds: 3 });
    service.clock.advance(2.999);
    const early = await generate({ target: "slow", accept: "x" });
    expect([early.status, early.fields.result_code]).toEqual([403, "TargetStatusNotSuccess"]);
    service.clock.advance(0.001);
    expect((await generate({ target: "slow" })).status).toBe(200);
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
