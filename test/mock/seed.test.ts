import { createHash } from "node:crypto";
import { ManualClock, MockCloudReco, randomRater } from "mock-cloud-reco";
import { expect, it, onTestFinished } from "vitest";
import { type ClientResponse, nodeClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { scene } from "../support/scenes.ts";

interface Recorded {
  readonly request: string;
  readonly status: number;
  readonly headers: ClientResponse["rawHeaders"];
  readonly body: string;
}

/** Uses every API once, and returns all response bytes. */
async function workflow(seed: string | number | undefined): Promise<Recorded[]> {
  const clock = new ManualClock(new Date("2026-11-21T12:00:00Z"));
  const options = { clock, processingTimeSeconds: 1, targetRater: randomRater() };
  const mock = new MockCloudReco({ ...options, ...(seed !== undefined && { seed }) });
  onTestFinished(() => mock.stop());
  const recorded: Recorded[] = [];
  const session = new MockSession(
    mock,
    mock.addCloudDatabase(),
    () => clock.now(),
    async (request) => {
      const response = await nodeClient(request);
      recorded.push({
        request: `${request.method} ${new URL(request.url).pathname}`,
        status: response.status,
        headers: response.rawHeaders,
        body: response.body.toString("latin1"),
      });
      return response;
    },
  );
  const json = ({ body }: ClientResponse) => JSON.parse(body.toString());
  const get = (path: string) => session.target({ method: "GET", path });

  const photo = await scene(1);
  const { target_id: id } = json(await session.add({ name: "photo", image: photo.toString("base64") }));
  await session.add({ name: "noise" });
  clock.advance(1);
  for (const path of ["/targets", `/targets/${id}`, "/summary", `/summary/${id}`, `/duplicates/${id}`])
    await get(path);
  await session.query(photo);
  await session.query(makePng({ colourType: 3 }));
  await get("/targets/unknown");
  await session.target({ method: "GET", path: "/targets", secretKey: "wrong" });
  const report = `/imagetargets/databases/${session.database.databaseId}/reports/recoCounts`;
  const { presigned_url: url } = json(
    await session.target({ method: "POST", path: report, body: { month: "2026-11" } }),
  );
  for (const seconds of [0, 1]) {
    clock.advance(seconds);
    const client = await nodeClient({ method: "GET", url, headers: {} });
    recorded.push({
      request: url,
      status: client.status,
      headers: client.rawHeaders,
      body: client.body.toString(),
    });
  }
  await session.target({ method: "PUT", path: `/targets/${id}`, body: { width: 2 } });
  clock.advance(1);
  await session.target({ method: "DELETE", path: `/targets/${id}` });

  const labels = mock.addVuMarkDatabase({ targets: [{ name: "label" }] });
  for (const Accept of ["image/png", "image/svg+xml", "application/pdf"]) {
    await session.target({
      method: "POST",
      path: `/targets/${labels.targets[0]?.targetId}/instances`,
      body: { instance_id: "42" },
      headers: { Accept },
      accessKey: labels.serverAccessKey,
      secretKey: labels.serverSecretKey,
    });
  }

  const send = async (
    api: "modelTarget" | "manager",
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ) => {
    const Authorization = token ?? `Basic ${Buffer.from("client-id:client-secret").toString("base64")}`;
    const response = await nodeClient({
      method,
      url: mock.urls[api] + path,
      headers: { Authorization, "Content-Type": "application/json" },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
    const { status, rawHeaders: headers } = response;
    recorded.push({ request: `${method} ${path}`, status, headers, body: response.body.toString("latin1") });
    return response;
  };
  const { access_token } = json(await send("modelTarget", "POST", "/oauth2/token"));
  const bearer = `Bearer ${access_token}`;
  await send("modelTarget", "POST", "/oauth2/clientcredentials", { scopes: ["modeltargets.all"] }, bearer);
  const view = { name: "v", guideViewPosition: { translation: [0, 0, 1], rotation: [0, 0, 0, 1] } };
  const model = { name: "m", cadDataUrl: "https://cad.example/m.glb", views: [view] };
  const dataset = { name: "d", targetSdk: "10.18", models: [model] };
  const { uuid } = json(await send("modelTarget", "POST", "/modeltargets/datasets", dataset, bearer));
  await send("modelTarget", "POST", "/modeltargets/datasets", {}, bearer);
  await send("modelTarget", "GET", `/modeltargets/datasets/${uuid}/status`, undefined, bearer);
  clock.advance(1);
  await send("modelTarget", "GET", `/modeltargets/datasets/${uuid}/dataset`, undefined, bearer);

  await send("manager", "POST", "/cloud_databases", {});
  await send("manager", "POST", "/vumark_databases", {});
  await send("manager", "GET", "/cloud_databases");
  return recorded;
}

it("the same seed gives the same bytes for a whole workflow", async () => {
  const first = await workflow("a seed");
  expect(await workflow("a seed")).toEqual(first);
  // Makes sure that every kind of response occurred.
  expect(first).toHaveLength(28);
  const statuses = new Set(first.map(({ status }) => status));
  for (const status of [200, 201, 400, 401, 404]) expect(statuses).toContain(status);
});

it("another seed, or none, gives different bytes", async () => {
  const digest = (recorded: readonly Recorded[]) =>
    createHash("sha256").update(JSON.stringify(recorded)).digest("hex");
  const seeds = ["a seed", "another", 1, undefined, undefined];
  const digests = [];
  for (const seed of seeds) digests.push(digest(await workflow(seed)));
  expect(new Set(digests).size).toBe(seeds.length);
});
