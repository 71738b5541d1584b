import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { MockCloudReco, rfc1123Date } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";
import { signedRequest } from "../../support/signed-request.ts";

const image = makePng({ width: 33, height: 12 });

describeBackends("what was sent and answered", (backend) => {
  it("is in the journal with headers, query, JSON and the decoded image of a target", async () => {
    await using service = await backend.open();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = await service.addCloudDatabase();
    const body = { name: "poster", width: 1, image: image.toString("base64") };
    await nodeClient(
      signedRequest({
        method: "POST",
        baseUrl: service.urls.target,
        path: "/targets?trace=1",
        accessKey,
        secretKey,
        now: service.clock.now(),
        body,
        headers: { "X-Trace": "yes" },
      }),
    );
    const { request, response } = await service.latest();
    expect(request?.headers).toMatchObject({
      authorization: `VWS ‹key "${accessKey.slice(0, 4)}…" (32 characters)›:‹hidden, 28 characters›`,
      "content-type": "application/json",
      date: rfc1123Date(service.clock.now()),
      "x-trace": "yes",
    });
    expect(request?.headerLines).toContainEqual(["X-Trace", "yes"]);
    expect(request?.query).toBe("trace=1");
    expect(request?.body.json).toEqual(body);
    expect(request?.body.size).toBe(JSON.stringify(body).length);
    expect(request?.body.image).toEqual({
      format: "PNG",
      width: 33,
      height: 12,
      size: image.length,
      bytes: image,
    });
    expect(String(request?.body)).toBe(
      `{"name":"poster","width":1,"image":"‹PNG of 33x12 pixels, ${image.length} bytes›"}`,
    );
    expect(response?.headers).toMatchObject({ "content-type": "application/json" });
    expect(response?.body.json).toMatchObject({ result_code: "TargetCreated" });
  });

  it("is in the journal with the fields of a query, and its response without gzip", async () => {
    await using service = await backend.open();
    const { clientAccessKey: accessKey, clientSecretKey: secretKey } = await service.addCloudDatabase();
    const form = new FormData();
    form.append("image", new Blob([new Uint8Array(image)]), "a picture.png");
    form.append("max_num_results", "5");
    const encoded = new Response(form);
    const type = encoded.headers.get("content-type") ?? "";
    const signed = signedRequest({
      method: "POST",
      baseUrl: service.urls.query,
      path: "/v1/query",
      accessKey,
      secretKey,
      now: service.clock.now(),
      contentType: "multipart/form-data",
      body: Buffer.from(await encoded.arrayBuffer()),
      headers: { "Content-Type": type },
    });
    // Signed without its parameter, sent with it.
    await nodeClient(signed);
    const { request, response } = await service.latest();
    expect(request?.body.fields).toMatchObject({
      max_num_results: "5",
      image: { filename: "a picture.png", bytes: image, image: { width: 33, height: 12 } },
    });
    expect(request?.body.image?.bytes).toEqual(image);
    expect(String(request?.body)).toBe(
      `image: ‹PNG of 33x12 pixels, ${image.length} bytes›\nmax_num_results: 5`,
    );
    expect(response?.headers["content-encoding"]).toBe("gzip");
    expect(response?.body.json).toMatchObject({ result_code: "Success", results: [] });
  });

  it("has both strings to sign for a wrong signature", async () => {
    await using service = await backend.open();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = await service.addCloudDatabase();
    const date = rfc1123Date(service.clock.now());
    const wrong = signedRequest({
      method: "GET",
      baseUrl: service.urls.target,
      path: "/targets/",
      accessKey,
      secretKey,
      now: service.clock.now(),
    });
    await nodeClient({ ...wrong, url: `${service.urls.target}/targets` });
    const lines = ["GET", "d41d8cd98f00b204e9800998ecf8427e", "", date];
    expect((await service.latest()).signature).toEqual({
      expected: [...lines, "/targets"].join("\n"),
      signed: [...lines, "/targets/"].join("\n"),
    });
  });
});

/** A response's body in the journal. */
async function bodyOf(headers: Readonly<Record<string, string>>, body: Buffer | string) {
  await using mock = new MockCloudReco({ intercept: false });
  mock.addFault({ operation: "databaseSummary", response: { status: 200, headers, body } });
  await mock.fetch(`${mock.urls.target}/summary`);
  const recorded = mock.requests[0]?.response?.body;
  if (recorded === undefined) throw new Error("no response");
  return recorded;
}

it("a URL-encoded form has fields", async () => {
  const body = await bodyOf({ "Content-Type": "application/x-www-form-urlencoded" }, "a=1&b=x%20y&a=2");
  expect(body.fields).toEqual({ a: "1", b: "x y" });
});

it("an image response is recognized as an image", async () => {
  const body = await bodyOf({}, image);
  expect(body.image).toMatchObject({ format: "PNG", width: 33, height: 12 });
  expect(String(body)).toBe(`‹PNG of 33x12 pixels, ${image.length} bytes›`);
});

it("the other views of a body are undefined, and bytes are shown by their start", async () => {
  const headers = { "Content-Encoding": "gzip", "Content-Type": "application/json" };
  const body = await bodyOf(headers, Buffer.from([0xff, 0]));
  expect([body.text, body.json, body.fields, body.image]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(String(body)).toBe("‹2 bytes: ff00›");
});

it("long text is shortened in printed form only", async () => {
  const long = "x".repeat(500);
  expect(String(await bodyOf({}, long))).toBe(`${"x".repeat(300)}… (500 characters)`);
  const controls = "a\n\u001b[2J\u009b";
  expect(String(await bodyOf({}, controls))).toBe("a\n\\u001b[2J\\u009b");
  expect(String(await bodyOf({}, JSON.stringify([controls])))).toBe(String.raw`["a\n\u001b[2J\u009b"]`);
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  expect(String(await bodyOf(form, new URLSearchParams({ name: controls, next: "b" }).toString()))).toBe(
    "name: a\\n\\u001b[2J\\u009b\nnext: b",
  );
  expect(String(await bodyOf({}, JSON.stringify([long, { a: [1, null] }])))).toBe(
    `["${"x".repeat(300)}… (500 characters)",{"a":[1,null]}]`,
  );
  const packed = await bodyOf({ "Content-Encoding": "gzip" }, gzipSync(long));
  expect(packed.text).toBe(long);
});

it("no body and no content type makes a view throw", async () => {
  await using mock = new MockCloudReco({ intercept: false });
  const types = fc.constantFrom(
    "application/json",
    "multipart/form-data; boundary=b",
    "application/x-www-form-urlencoded",
    "",
  );
  const pieces = fc.constantFrom(
    "--b",
    "\r\n",
    'Content-Disposition: form-data; name="image"; filename=""',
    "{",
    '"a":',
  );
  const content = fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.array(fc.oneof(pieces, fc.string())).map((parts) => Buffer.from(parts.join(""))),
    fc.uint8Array().map((bytes) => Buffer.concat([image.subarray(0, 8), bytes])),
    fc.uint8Array().map((bytes) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), bytes])),
  );
  await fc.assert(
    fc.asyncProperty(
      types,
      fc.constantFrom("gzip", "identity"),
      content,
      // The journal keeps no secrets of the second.
      fc.constantFrom("/targets", "/oauth2/token"),
      async (type, coding, body, path) => {
        const headers = { "Content-Type": type, "Content-Encoding": coding };
        await mock.fetch(mock.urls.target + path, { method: "POST", headers, body });
        const read = mock.requests.at(-1)?.request.body;
        if (read === undefined) throw new Error("no request");
        const text = JSON.stringify([read, read.text, read.json, read.fields, read.image, String(read)]);
        expect(text).toBeTypeOf("string");
      },
    ),
  );
});

it("the option journalBodyBytes limits the bodies that a mock keeps", async () => {
  await using mock = new MockCloudReco({ journalBodyBytes: 0 });
  await fetch("https://vws.vuforia.com/targets", { method: "POST", body: "{}" });
  const body = mock.requests[0]?.request.body;
  expect(body).toMatchObject({ size: 2, dropped: true, bytes: undefined });
  expect(JSON.parse(JSON.stringify(body))).toEqual({ size: 2, dropped: true, text: String(body) });
  expect(() => new MockCloudReco({ journalBodyBytes: -1 })).toThrow(
    "options.journalBodyBytes: expected a whole number, 0 or more",
  );
});
