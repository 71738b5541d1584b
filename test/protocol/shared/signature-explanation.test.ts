import { createHash, createHmac } from "node:crypto";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { newTarget } from "../target/requests.ts";

const PATH = "/targets";
const CONTENT_TYPE = "application/json; charset=utf-8";

/** The signed parts, in which a client may make a mistake. */
interface Parts {
  key: string;
  scheme: string;
  method: string;
  digest: string;
  type: string;
  date: string;
  path: string;
  encoding: "base64" | "hex";
  algorithm: "sha1" | "sha256";
}

async function sendSigned(
  service: ServiceUnderTest,
  keys: DatabaseKeys,
  change: (parts: Parts, body: string) => Partial<Parts>,
): Promise<{ status: number; reason: string }> {
  const body = JSON.stringify(newTarget());
  const date = rfc1123Date(service.clock.now());
  const right: Parts = {
    key: keys.serverSecretKey,
    scheme: "VWS",
    method: "POST",
    digest: createHash("md5").update(body).digest("hex"),
    type: "application/json",
    date,
    path: PATH,
    encoding: "base64",
    algorithm: "sha1",
  };
  const { key, scheme, encoding, algorithm, ...parts } = { ...right, ...change(right, body) };
  const text = [parts.method, parts.digest, parts.type, parts.date, parts.path].join("\n");
  const signature = createHmac(algorithm, key).update(text).digest(encoding);
  const response = await nodeClient({
    method: "POST",
    url: `${service.urls.target}${PATH}?x=1`,
    headers: {
      Authorization: `${scheme} ${keys.serverAccessKey}:${signature}`,
      Date: date,
      "Content-Type": CONTENT_TYPE,
    },
    body: Buffer.from(body),
  });
  return { status: response.status, reason: (await service.latest()).reason ?? "" };
}

describeBackends("the reason of a refused signature", (backend) => {
  it.each<[string, (parts: Parts, body: string) => Partial<Parts>, string]>([
    [
      "the whole content type",
      () => ({ type: CONTENT_TYPE }),
      "sign the Content-Type that is sent, up to its first semicolon",
    ],
    ["no content type", () => ({ type: "" }), "sign the Content-Type that is sent"],
    [
      "an upper-case digest",
      ({ digest }) => ({ digest: digest.toUpperCase() }),
      "sign the lower-case hexadecimal MD5",
    ],
    [
      "the digest of no body",
      () => ({ digest: createHash("md5").digest("hex") }),
      "sign the lower-case hexadecimal MD5",
    ],
    ["no date", () => ({ date: "" }), "sign the Date header's exact value"],
    ["a lower-case method", () => ({ method: "post" }), "sign the method in upper case"],
    ["the query string", () => ({ path: `${PATH}?x=1` }), "without the query string"],
    ["another content type than is sent", () => ({ type: "text/plain" }), 'signed: "POST'],
    ["SHA-256", () => ({ algorithm: "sha256" }), "sign with HMAC-SHA1: the signature is an HMAC-SHA256"],
    ["a trailing slash", () => ({ path: `${PATH}/` }), "sign the path as it is sent"],
    ["a hexadecimal signature", () => ({ encoding: "hex" }), "send the base64 of the HMAC's 20 bytes"],
    [
      "another scheme",
      () => ({ scheme: "vws" }),
      'write the Authorization scheme as exactly "VWS": it is "vws"',
    ],
    [
      "an unknown secret",
      () => ({ key: "something else" }),
      "check the secret key, and that exactly this is signed",
    ],
  ])("explains %s", async (_what, change, advice) => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const { status, reason } = await sendSigned(service, keys, change);
    expect(status).toBe(401);
    expect(reason).toContain(advice);
    for (const secret of [keys.serverSecretKey, keys.clientSecretKey]) expect(reason).not.toContain(secret);
  });

  it("explains a full URL signed instead of the path", async () => {
    await using service = await backend.open({ targetUrl: "https://target.example" });
    const keys = await service.addCloudDatabase();
    const host = backend.overSockets ? new URL(service.urls.target).host : "target.example";
    const { reason } = await sendSigned(service, keys, () => ({ path: `https://${host}${PATH}` }));
    expect(reason).toContain(
      "sign the path as it is sent, without the query string and without the base URL",
    );
  });

  it("explains a missing Date header", async () => {
    await using service = await backend.open();
    const { serverAccessKey: key } = await service.addCloudDatabase();
    const headers = { Authorization: `VWS ${key}:c2lnbmF0dXJl` };
    expect((await nodeClient({ method: "GET", url: service.urls.target + PATH, headers })).status).toBe(401);
    expect((await service.latest()).reason).toMatch(
      /^send the Date header that is signed: the request has no Date header; check the secret key, and that/,
    );
  });

  it("explains the use of the client access key", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase({ databaseName: "shop" });
    const { clientAccessKey: serverAccessKey, clientSecretKey: serverSecretKey } = keys;
    const { status, reason } = await sendSigned(
      service,
      { ...keys, serverAccessKey, serverSecretKey },
      () => ({}),
    );
    expect(status).toBe(400);
    expect(reason).toMatch(
      /^sign with the server keys: "\w+" is the client access key of the database "shop"; server keys sign/,
    );
  });

  it("explains the use of the client secret key", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const { reason } = await sendSigned(service, keys, () => ({ key: keys.clientSecretKey }));
    expect(reason).toContain("the signature was made with the database's client secret key");
  });

  it("shows both strings to sign, with their first difference marked", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const { reason } = await sendSigned(service, keys, () => ({ type: CONTENT_TYPE }));
    expect(reason).toMatch(/expected: "POST\\n[0-9a-f]{32}\\napplication\/json▶\\n/);
    expect(reason).toMatch(/signed: "POST\\n[0-9a-f]{32}\\napplication\/json▶; charset=utf-8\\n/);
  });

  it("is absent for a correct signature, made from text or from bytes", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    expect(await sendSigned(service, keys, () => ({}))).toEqual({
      status: 201,
      reason: 'send parameters in the body, or leave them out: the query string "x=1" is ignored',
    });
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
    const date = rfc1123Date(service.clock.now());
    const authorization = authorizationHeader({ accessKey, secretKey, method: "get", path: PATH, date });
    const headers = { Authorization: authorization, Date: date };
    expect((await nodeClient({ method: "GET", url: service.urls.target + PATH, headers })).status).toBe(200);
  });
});
