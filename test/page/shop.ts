import { readFile } from "node:fs/promises";
import { authorizationHeader, type MockCloudDatabase, rfc1123Date } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import type { Servers } from "mock-cloud-reco/server";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";

const photo = (name: string) => readFile(`examples/demo/images/${name}.jpg`);

/** Adds a target through the manager, as the page does. */
export async function addTarget(
  { urls }: Servers,
  database: string,
  name: string,
  image: Buffer,
  more: object = {},
): Promise<void> {
  const response = await fetch(`${urls.manager}/cloud_databases/${database}/targets`, {
    method: "POST",
    body: JSON.stringify({ name, width: 1, image_base64: image.toString("base64"), ...more }),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** Requests the recognition-counts report of this month. */
export async function requestReport({ urls }: Servers, database: MockCloudDatabase): Promise<void> {
  const { databaseId, serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
  const path = `/imagetargets/databases/${databaseId}/reports/recoCounts`;
  const body = { month: new Date().toISOString().slice(0, 7) };
  const signing = { accessKey, secretKey, now: new Date() };
  const {
    url,
    method,
    headers,
    body: bytes = null,
  } = signedRequest({ method: "POST", baseUrl: urls.target, path, body, ...signing });
  const response = await fetch(url, { method, headers, body: bytes });
  if (!response.ok) throw new Error(await response.text());
}

/** Fills a shop with an example of everything that the page shows, including a client that makes mistakes. */
export async function fillShop(servers: Servers): Promise<void> {
  const { urls } = servers;
  const shop = servers.addCloudDatabase({ databaseName: "picture-shop", targetQuota: 50 });
  servers.addCloudDatabase({
    databaseName: "archive",
    stateName: "PROJECT_INACTIVE",
    requestsPerSecondLimit: 5,
  });
  servers.addVuMarkDatabase({ databaseName: "labels" });
  const client = new VuforiaClient(shop, urls.target, urls.query);
  const metadata = Buffer.from('{"sku":"A-1042","price":129}').toString("base64");
  const done = { processing_time_seconds: 0 };
  await addTarget(servers, "picture-shop", "raccoon", await photo("raccoon"), {
    ...done,
    application_metadata: metadata,
  });
  await addTarget(servers, "picture-shop", "poster", await photo("poster"), done);
  await addTarget(servers, "picture-shop", "stairway", await photo("stairway"), {
    ...done,
    active_flag: false,
  });
  for (let seed = 1; seed <= 16; seed++)
    await addTarget(servers, "picture-shop", `scene ${seed}`, await scene(seed), done);
  await addTarget(servers, "picture-shop", "being processed", await scene(40), {
    processing_time_seconds: 3600,
  });
  const post = (path: string, body: object) =>
    fetch(`${urls.manager}${path}`, { method: "POST", body: JSON.stringify(body) });
  await post("/vumark_databases/labels/vumark_targets", { name: "bottle label" });
  await post("/model_target_datasets", {
    request_body: { name: "coffee machine", models: [{ name: "machine" }] },
    processing_time_seconds: 3600,
  });
  await post("/model_target_datasets", {
    request_body: { name: "drill", models: [{ name: "drill" }, { name: "bit" }] },
    dataset_type_name: "ADVANCED",
    processing_time_seconds: 0,
    generation_failure_message: "the model has no faces",
  });
  const scopes = ["modeltargets.standard", "modeltargets.all"];
  await post("/oauth2_client_credentials", { client_id: "ci-pipeline", client_secret: "secret", scopes });
  await post("/faults", {
    operation: "getDuplicates",
    response: { result_code: "RequestQuotaReached" },
    times: 3,
  });
  await post("/faults", { database_name: "archive", delay_seconds: 2.5, probability: 0.25 });
  await client.summary();
  await client.find(await photo("raccoon"));
  await client.find(await scene(99));
  await requestReport(servers, shop);
  await client.addTarget("from a client", await scene(50));
  await fetch(`${urls.target}/targets`, { headers: { date: rfc1123Date() } });
  const date = rfc1123Date();
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = shop;
  const signed = { accessKey, secretKey, method: "GET", path: "/targets?page=2", date };
  await fetch(`${urls.target}/targets?page=2`, {
    headers: { date, authorization: authorizationHeader(signed) },
  });
  await fetch(`${urls.target}/nothing/here`);
  await client.summary();
}
