import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fixedRater } from "mock-cloud-reco";
import sharp from "sharp";
import { expect, it } from "vitest";
import { newTarget } from "../protocol/target/requests.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { type Client, clients } from "../support/clients.ts";
import { ALL } from "../support/combinations.ts";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";

const BOUNDARY = "form-data-boundary";

const multipart = (image: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="image.jpg"\r\n` +
        "Content-Type: image/jpeg\r\n\r\n",
    ),
    image,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);

/** The same flow for every client; each reads JSON, which it may have had to decode. */
async function call(
  client: Client,
  service: ServiceUnderTest,
  keys: DatabaseKeys,
  request: { method: string; path: string; body?: unknown },
) {
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
  const now = service.clock.now();
  const response = await client(
    signedRequest({ ...request, baseUrl: service.urls.target, accessKey, secretKey, now }),
  );
  return { status: response.status, ...JSON.parse(response.body.toString()) };
}

async function find(client: Client, service: ServiceUnderTest, keys: DatabaseKeys, image: Buffer) {
  const { clientAccessKey: accessKey, clientSecretKey: secretKey } = keys;
  const response = await client(
    signedRequest({
      method: "POST",
      baseUrl: service.urls.query,
      path: "/v1/query",
      accessKey,
      secretKey,
      now: service.clock.now(),
      body: multipart(image),
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    }),
  );
  return { status: response.status, ...JSON.parse(response.body.toString()) };
}

describeBackends("the main job", (backend) => {
  it.each(Object.entries(clients))("add, process, find, delete: with %s", async (_name, client) => {
    // node:http shows gzip as it is; the encoding has tests of its own.
    await using service = await backend.open({
      processingTimeSeconds: 2,
      queryContentEncoding: "identity",
      targetRater: fixedRater(4),
    });
    const keys = await service.addCloudDatabase();
    const [picture, other] = await Promise.all([scene(1), scene(2)]);
    const copy = await sharp(picture).resize(200, 180, { fit: "fill" }).jpeg({ quality: 50 }).toBuffer();

    const body = newTarget({ image: picture.toString("base64"), application_metadata: "YQ==" });
    const { status, target_id } = await call(client, service, keys, {
      method: "POST",
      path: "/targets",
      body,
    });
    expect([status, target_id]).toEqual([201, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await find(client, service, keys, copy)).toMatchObject({ status: 200, results: [] });

    service.clock.advance(2);
    const record = await call(client, service, keys, { method: "GET", path: `/targets/${target_id}` });
    expect(record).toMatchObject({
      status: "success",
      target_record: { name: "target", tracking_rating: 4 },
    });
    const target_timestamp = Math.floor(service.clock.now().getTime() / 1000) - 2;
    expect(await find(client, service, keys, copy)).toMatchObject({
      result_code: "Success",
      results: [
        { target_id, target_data: { name: "target", application_metadata: "YQ==", target_timestamp } },
      ],
    });
    expect(await find(client, service, keys, other)).toMatchObject({ results: [] });

    expect(
      await call(client, service, keys, { method: "DELETE", path: `/targets/${target_id}` }),
    ).toMatchObject({
      result_code: "Success",
    });
    expect(await find(client, service, keys, copy)).toMatchObject({ results: [] });
    expect(await call(client, service, keys, { method: "GET", path: "/targets" })).toMatchObject({
      results: [],
    });
  });
});

// CI runs it with everything.
it.runIf(ALL)("the demo runs, and everything in it holds", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "examples/demo/demo.ts"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("All checks passed.");
  expect(stdout).not.toContain("✗");
  expect(stdout).not.toContain("\u001b");
});
