import type { ProfileName } from "mock-cloud-reco";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { expect, it } from "vitest";
import { placeholder } from "../conformance/engine/situation.ts";
import { requestTo } from "../conformance/request.ts";
import { refusalsOf } from "../conformance/rows.ts";
import { dataset, EVERY_SCOPE, model, tokenFor } from "../protocol/model-target/requests.ts";
import { sendPlan } from "../protocol/query/send.ts";
import { describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { fetchBy, nodeClient } from "../support/clients.ts";
import { ALL } from "../support/combinations.ts";
import { makePng } from "../support/png.ts";
import { goodPlan } from "../support/query-plan.ts";
import { Conformance } from "./conformance.ts";

/** What only real servers answer. */
const ON_SERVERS = / (413|50[23])$/;
/** Over sockets, what is wrong with Content-Length shows in other ways; see the tests of the servers. */
const OF_CONTENT_LENGTH = "query 504";

const missingIn = ({ declared, seen }: Conformance, isOfApi: (operation: string) => boolean) =>
  declared.filter(
    (response) =>
      isOfApi(response.split(" ", 1)[0] ?? "") && !seen.has(response) && !ON_SERVERS.test(response),
  );

const FAMILIES = ["/modeltargets/datasets", "/modeltargets/advancedDatasets"];
const ANOTHER_HOST = { targetUrl: "https://other.example", queryUrl: "https://other-query.example" };
const NO_ALLOWANCE = { modelTargetTrainingAllowanceExceeded: true };

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<string>;

/** Requests to one API; each response is checked. */
const sender =
  (conformance: Conformance, baseUrl: string): Send =>
  async (method, path, body, headers = {}) => {
    const bytes =
      body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const request = { method, url: baseUrl + path, headers, body: bytes };
    return (await conformance.checking(nodeClient)(request)).body.toString();
  };

describeBackends("responses as the OpenAPI document declares them", (backend) => {
  const isSelection = !ALL && process.env.TEST_BACKEND !== "redis";
  const one: ProfileName = backend.overSockets ? "neutral" : "vuforia";
  const profiles: readonly ProfileName[] = isSelection ? [one] : ["neutral", "vuforia"];

  it.each(profiles)("of the query API (%s)", async (profile) => {
    const conformance = new Conformance(openApiDocument({ profile }));
    await using service = await backend.open({ profile, processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const manage = sender(conformance, service.urls.manager);
    await manage("POST", `/cloud_databases/${keys.databaseName}/targets`, newTarget());
    for (const { route, send = {}, values, database } of Object.values(refusalsOf("query")).flat()) {
      const at = placeholder({ profile, keys, prefix: "" }, service.clock.now());
      const { method, path, headers, body, contentLength } = requestTo(route, send, at, values);
      if (contentLength !== undefined && backend.overSockets) continue;
      await service.updateDatabase(keys, {
        stateName: database === undefined ? "WORKING" : "PROJECT_INACTIVE",
      });
      const client = contentLength === undefined ? nodeClient : fetchBy(service.fetch ?? fetch);
      const length = contentLength === undefined ? {} : { "Content-Length": contentLength };
      const url = service.urls.query + path;
      await conformance.checking(client)({ method, url, headers: { ...headers, ...length }, body });
    }
    await service.updateDatabase(keys, { stateName: "WORKING" });
    const plan = goodPlan(service.clock.now());
    const found = await sendPlan(service, keys, plan, conformance.checking(nodeClient));
    expect(found.status).toBe(200);
    const missing = missingIn(conformance, (operation) => operation === "query");
    expect(missing.filter((one) => !(backend.overSockets && one === OF_CONTENT_LENGTH))).toEqual([]);
  });

  it.each(profiles)("of OAuth 2.0 and Model Targets (%s)", async (profile) => {
    const conformance = new Conformance(openApiDocument({ profile }));
    await using service = await backend.open({ profile, processingTimeSeconds: 2 });
    const send = sender(conformance, service.urls.modelTarget);
    await sendToModelTargets(service, send);
    await using exhausted = await backend.open({ profile, ...ANOTHER_HOST, ...NO_ALLOWANCE });
    const create = sender(conformance, exhausted.urls.modelTarget);
    for (const family of FAMILIES) await create("POST", family, dataset(), jsonHeaders(EVERY_SCOPE));
    const isOfApi = (operation: string) =>
      /^(token|\w+Credential|\w+Credentials|\w+Scopes|(advanced\.)?(\w+Dataset|datasetStatus))$/.test(
        operation,
      );
    // A body is not read by the routes that need none; the other way to get 400 is a Content-Length that no client sends.
    const missing = missingIn(conformance, isOfApi).filter(
      (one) => !/(Status|download\w+|delete\w+) 400$/.test(one),
    );
    expect(missing).toEqual([]);
  });

  it("of the target manager", async () => {
    const conformance = new Conformance(openApiDocument());
    await using service = await backend.open();
    await sendToManager(sender(conformance, service.urls.manager));
    expect(missingIn(conformance, (operation) => operation.startsWith("manager."))).toEqual([]);
  });
});

const newTarget = (fields: Record<string, unknown> = {}) => ({
  name: "target",
  width: 1,
  image_base64: makePng().toString("base64"),
  ...fields,
});

const bearer = (scope: string) => ({ Authorization: `Bearer ${tokenFor(scope)}` });
const jsonHeaders = (scope: string) => ({ ...bearer(scope), "Content-Type": "application/json" });

async function sendToModelTargets(service: ServiceUnderTest, send: Send): Promise<void> {
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  const known = basic("client-id:client-secret");
  await send("POST", "/oauth2/token", "", known);
  await send("POST", "/oauth2/token", "grant_type=other", known);
  await send("POST", "/oauth2/token", "scope=other", known);
  await send("POST", "/oauth2/token", "grant_type=password&username=a");
  await send("POST", "/oauth2/token", "grant_type=password&username=a&password=b");
  await send("POST", "/oauth2/token", "", basic("client-id:other"));
  await send("POST", "/oauth2/token", "");

  const allowed = bearer(EVERY_SCOPE);
  const json = jsonHeaders(EVERY_SCOPE);
  const credentials = "/oauth2/clientcredentials";
  const created = await send("POST", credentials, { scopes: ["oauth2.clientcredentials.all"] }, json);
  const credential = `${credentials}/${JSON.parse(created).client_id}`;
  await send("POST", credentials, { scopes: "all" }, json);
  await send("POST", credentials, "[]", json);
  await send("POST", credentials, "{", json);
  await send("POST", credentials, { scopes: [] }, allowed);
  await send("GET", credentials, undefined, allowed);
  await send("PUT", `${credential}/scopes`, ["modeltargets.all"], json);
  await send("PUT", `${credential}/scopes`, {}, json);
  await send("PUT", `${credentials}/unknown/scopes`, [], json);
  for (const headers of [{}, bearer("")]) {
    await send("POST", credentials, { scopes: [] }, headers);
    await send("GET", credentials, undefined, headers);
    await send("PUT", `${credential}/scopes`, [], headers);
    await send("DELETE", credential, undefined, headers);
  }
  await send("DELETE", credential, undefined, allowed);
  await send("DELETE", credential, undefined, allowed);
  for (let count = 0; count <= 100; count++) await send("POST", credentials, { scopes: [] }, json);

  for (const family of FAMILIES) {
    const uuid = JSON.parse(await send("POST", family, dataset(), json)).uuid;
    const stateBased = model({ stateBasedConfigurationJsonString: '{"states":{}}' });
    const lacking = bearer("modeltargets.standardmodeltarget.all modeltargets.advancedmodeltarget.all");
    await send("POST", family, dataset(stateBased), { ...json, ...lacking });
    await send("POST", family, {}, json);
    await send("POST", family, "{", json);
    await send("POST", family, dataset(), allowed);
    for (const one of [`${family}/${uuid}`, `${family}/unknown`]) {
      await send("GET", `${one}/status`, undefined, allowed);
      await send("GET", `${one}/dataset`, undefined, allowed);
    }
    for (const headers of [{}, bearer("")]) {
      await send("POST", family, dataset(), headers);
      await send("GET", `${family}/${uuid}/status`, undefined, headers);
      await send("GET", `${family}/${uuid}/dataset`, undefined, headers);
      await send("DELETE", `${family}/${uuid}`, undefined, headers);
    }
    service.clock.advance(2);
    await send("GET", `${family}/${uuid}/status`, undefined, allowed);
    await send("GET", `${family}/${uuid}/dataset`, undefined, allowed);
    await send("DELETE", `${family}/${uuid}`, undefined, allowed);
    await send("DELETE", `${family}/${uuid}`, undefined, allowed);
  }
}

async function sendToManager(send: Send): Promise<void> {
  for (const [method, path, body] of managerRequests()) await send(method, path, body);
  const fault = { operation: "query", response: { result_code: "Busy", status: 503 } };
  const added: { id: string } = JSON.parse(await send("POST", "/faults", fault));
  await send("POST", "/faults", { api: "query", response: { status: 500, body: { base64: "AP8=" } } });
  await send("GET", "/faults");
  await send("DELETE", `/faults/${added.id}`);
  await send("DELETE", `/faults/${added.id}`);
}

const EMPTY_SNAPSHOT = { version: 2, databases: [], datasets: [], credentials: [], images: {} };

/** In this order: later ones need what earlier ones made. */
const managerRequests = (): readonly [method: string, path: string, body?: unknown][] => {
  const limits = { other: { max_requests: 1, window_seconds: 0.5 } };
  const target = "/cloud_databases/cloud/targets/one";
  const counts = `${target}/recognition_counts`;
  return [
    ["GET", "/livez"],
    ["GET", "/readyz"],
    ["POST", "/cloud_databases", { database_name: "cloud", request_rate_limits: limits }],
    ["POST", "/cloud_databases", { database_name: "cloud" }],
    ["POST", "/cloud_databases", { request_quota: -1 }],
    ["PUT", "/cloud_databases/cloud", { state_name: "PROJECT_INACTIVE" }],
    ["PUT", "/cloud_databases/cloud", "{"],
    ["PUT", "/cloud_databases/other", {}],
    ["POST", "/cloud_databases/cloud/targets", newTarget({ target_id: "one" })],
    ["POST", "/cloud_databases/cloud/targets", newTarget({ name: "other", application_metadata: "YQ==" })],
    ["POST", "/cloud_databases/cloud/targets", newTarget()],
    ["POST", "/cloud_databases/cloud/targets", {}],
    ["POST", "/cloud_databases/other/targets", {}],
    ["PUT", target, { width: 2 }],
    ["PUT", target, { name: "other" }],
    ["PUT", target, { width: "2" }],
    ["PUT", `${target}unknown`, {}],
    ["POST", counts, { total_recos: 3 }],
    ["POST", counts, { total_recos: -3 }],
    ["POST", counts.replace("one", "unknown"), {}],
    ["DELETE", target],
    ["DELETE", target],
    ["GET", "/cloud_databases"],
    ["DELETE", "/cloud_databases/cloud"],
    ["DELETE", "/cloud_databases/cloud"],
    ["POST", "/vumark_databases", { database_name: "vumark" }],
    ["POST", "/vumark_databases", { database_name: "vumark" }],
    ["POST", "/vumark_databases", "[]"],
    ["PUT", "/vumark_databases/vumark", { state_name: "PROJECT_SUSPENDED" }],
    ["PUT", "/vumark_databases/vumark", { state_name: "GONE" }],
    ["PUT", "/vumark_databases/other", {}],
    ["POST", "/vumark_databases/vumark/vumark_targets", { name: "label" }],
    ["POST", "/vumark_databases/vumark/vumark_targets", {}],
    ["POST", "/vumark_databases/other/vumark_targets", {}],
    ["GET", "/vumark_databases"],
    ["DELETE", "/vumark_databases/vumark"],
    ["DELETE", "/vumark_databases/vumark"],
    ["POST", "/model_target_datasets", { uuid: "u", generation_warning: { message: "m", details: [{}] } }],
    ["POST", "/model_target_datasets", { uuid: 1 }],
    ["GET", "/model_target_datasets"],
    ["DELETE", "/model_target_datasets/u"],
    ["DELETE", "/model_target_datasets/u"],
    ["POST", "/oauth2_client_credentials", { client_id: "c", client_secret: "s", scopes: ["a"] }],
    ["POST", "/oauth2_client_credentials", {}],
    ["GET", "/oauth2_client_credentials"],
    ["DELETE", "/oauth2_client_credentials/c"],
    ["DELETE", "/oauth2_client_credentials/c"],
    ["GET", "/requests"],
    ["DELETE", "/requests"],
    ["POST", "/faults", {}],
    ["GET", "/snapshot"],
    ["PUT", "/snapshot", EMPTY_SNAPSHOT],
    ["PUT", "/snapshot", {}],
    ["POST", "/finish_processing"],
    ["GET", "/clock"],
    ["PUT", "/clock", { now: "2026-11-21T10:42:00Z", frozen: true }],
    ["PUT", "/clock", { frozen: 1 }],
    ["POST", "/clock/advance", { seconds: 1.5 }],
    ["POST", "/clock/advance", {}],
    ["DELETE", "/clock"],
    ["POST", "/reset"],
  ];
};
