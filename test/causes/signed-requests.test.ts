import { createHmac } from "node:crypto";
import { MockCloudReco } from "mock-cloud-reco";
import { describe } from "vitest";
import { DATE, image, producesCodes, type Scene } from "./scene.ts";

const list = (scene: Scene, headers: Record<string, string | null>) =>
  scene.target("GET", "/targets", { headers });

describe("headers and keys", () => {
  producesCodes({
    "authorization.missing": (scene) => list(scene, { Authorization: null }),
    "authorization.malformed": (scene) => list(scene, { Authorization: "VWS key" }),
    "authorization.unset": (scene) => list(scene, { Authorization: "VWS undefined" }),
    "authorization.other-api": (scene) => list(scene, { Authorization: "Bearer token" }),
    "key.unset": (scene) => list(scene, { Authorization: "VWS undefined:signature" }),
    "key.unknown": (scene) => list(scene, { Authorization: "VWS unknown:signature" }),
    "key.other-role": (scene) =>
      scene.target("GET", "/targets", { accessKey: scene.database.clientAccessKey }),
    "key.swapped": (scene) => scene.target("GET", "/targets", { accessKey: scene.database.serverSecretKey }),
    "key.case": (scene) =>
      scene.target("GET", "/targets", { accessKey: scene.database.serverAccessKey.toUpperCase() }),
    "key.left-over": async (scene) => {
      const earlier = new MockCloudReco({ targetUrl: "https://earlier.test" });
      const { serverAccessKey: accessKey } = earlier.addCloudDatabase();
      await earlier.stop();
      await scene.target("GET", "/targets", { accessKey });
    },
    "key.reset": async (scene) => {
      await scene.mock.reset();
      await scene.target("GET", "/targets");
    },
    "key.vumark": (scene) => {
      const { serverAccessKey: accessKey } = scene.mock.addVuMarkDatabase();
      return scene.target("GET", "/targets", { accessKey });
    },
    "key.other-mock": async (scene) => {
      await using other = new MockCloudReco({ intercept: false });
      const { serverAccessKey: accessKey } = other.addCloudDatabase();
      await scene.target("GET", "/targets", { accessKey });
    },
    "date.missing": async (scene) => {
      const { serverAccessKey, serverSecretKey } = scene.database;
      const toSign = ["GET", "d41d8cd98f00b204e9800998ecf8427e", "", "", "/targets"].join("\n");
      const signature = createHmac("sha1", serverSecretKey).update(toSign).digest("base64");
      const headers = { Authorization: `VWS ${serverAccessKey}:${signature}` };
      await scene.raw(`${scene.mock.urls.target}/targets`, { headers });
    },
    "date.malformed": (scene) => scene.target("GET", "/targets", { date: "2026-11-23T10:00:00Z" }),
    "date.skewed": (scene) => scene.target("GET", "/targets", { date: "Sat, 01 Jan 2000 00:00:00 GMT" }),
    "content-type.missing": (scene) =>
      scene.query(undefined, { contentType: "", headers: { "Content-Type": "" } }),
    "content-type.wrong": (scene) =>
      scene.query(undefined, { contentType: "text/plain", headers: { "Content-Type": "text/plain" } }),
    "boundary.missing": (scene) =>
      scene.query(undefined, { headers: { "Content-Type": "multipart/form-data" } }),
    "accept.not-json": (scene) => scene.query(undefined, { headers: { Accept: "text/html" } }),
    "content-length.malformed": (scene) => list(scene, { "Content-Length": "many" }),
    "content-length.wrong": (scene) => list(scene, { "Content-Length": "5" }),
    "header.too-long": (scene) => list(scene, { "X-Long": "x".repeat(9000) }),
  });
});

const text = (authorization: (key: string) => string) => (scene: Scene) =>
  scene.authorized(authorization(scene.database.serverAccessKey));

/** Signs `POST /targets` with the digest or content type of another body. */
const added =
  (change: (scene: Scene) => { readonly digest?: string; readonly type?: string }) => (scene: Scene) => {
    const { serverAccessKey, serverSecretKey } = scene.database;
    const { digest = "", type = "application/json" } = change(scene);
    const toSign = ["POST", digest, type, DATE, "/targets"].join("\n");
    const signature = createHmac("sha1", serverSecretKey).update(toSign).digest("base64");
    const headers = {
      Date: DATE,
      "Content-Type": "application/json",
      Authorization: `VWS ${serverAccessKey}:${signature}`,
    };
    return scene.raw(`${scene.mock.urls.target}/targets`, { method: "POST", headers, body: '{"width":1}' });
  };

describe("signatures", () => {
  producesCodes({
    "id.unset": (scene) => scene.target("GET", "/targets/undefined"),
    "signature.unset": text((key) => `VWS ${key}:undefined`),
    "signature.spaced": text((key) => `VWS ${key}: signature`),
    "signature.reused": async (scene) => {
      await scene.target("GET", "/targets");
      const { authorization = "" } = scene.mock.requests.at(-1)?.request.headers ?? {};
      await scene.signed({});
      const signature = createHmac("sha1", scene.database.serverSecretKey)
        .update(["GET", "d41d8cd98f00b204e9800998ecf8427e", "", DATE, "/targets"].join("\n"))
        .digest("base64");
      const headers = { Date: DATE, Authorization: `VWS ${scene.database.serverAccessKey}:${signature}` };
      await scene.raw(`${scene.mock.urls.target}/summary`, { headers });
      return authorization;
    },
    "signature.scheme": (scene) => {
      const signature = createHmac("sha1", scene.database.serverSecretKey)
        .update(["GET", "d41d8cd98f00b204e9800998ecf8427e", "", DATE, "/targets"].join("\n"))
        .digest("base64");
      return scene.authorized(`vws ${scene.database.serverAccessKey}:${signature}`);
    },
    "signature.other-key": (scene) => scene.signed({ key: scene.database.clientSecretKey }),
    "signature.key-unset": (scene) => scene.signed({ key: "undefined" }),
    "signature.key-space": (scene) => scene.signed({ key: `${scene.database.serverSecretKey}\n` }),
    "signature.key-quoted": (scene) => scene.signed({ key: `"${scene.database.serverSecretKey}"` }),
    "signature.key-decoded": (scene) =>
      scene.signed({ key: Buffer.from(scene.database.serverSecretKey, "hex") }),
    "signature.encoding": (scene) => scene.signed({}, (hmac) => hmac.toString("hex")),
    "signature.algorithm": (scene) => scene.signed({}, undefined, "sha256"),
    "signature.swapped": (scene) => {
      const toSign = ["GET", "d41d8cd98f00b204e9800998ecf8427e", "", DATE, "/targets"].join("\n");
      const hmac = createHmac("sha1", toSign).update(scene.database.serverSecretKey).digest("base64");
      return scene.authorized(`VWS ${scene.database.serverAccessKey}:${hmac}`);
    },
    "signature.method": (scene) => scene.signed({ method: "POST" }),
    "signature.digest": added(() => ({ digest: "d41d8cd98f00b204e9800998ecf8427e" })),
    // The MD5 of {"width": 1}.
    "signature.rewritten": added(() => ({ digest: "49dc91598d86fcaaa442b5e5b63a20f8" })),
    "signature.content-type": added(() => ({ digest: "b474ec6f72f2c976902414d7f0531dc2", type: "" })),
    "signature.date": (scene) => scene.signed({ date: "" }),
    "signature.path": (scene) => scene.signed({ path: "/targets/" }),
    "signature.separator": (scene) => scene.signed({ separator: " " }),
    "signature.cut-body": (scene) =>
      scene.target("POST", "/targets", { secretKey: "another", body: '{"name": "a' }),
    "signature.no-date": (scene) =>
      list(scene, { Date: null, Authorization: `VWS ${scene.database.serverAccessKey}:${"x".repeat(27)}=` }),
    "signature.unexplained": (scene) => scene.target("GET", "/targets", { secretKey: "another" }),
  });
});

describe("bodies, JSON and base64", () => {
  const body = (given: unknown) => (scene: Scene) => scene.target("POST", "/targets", { body: given });
  const of = (value: unknown) => (scene: Scene) => scene.add({ image: value });
  producesCodes({
    "body.unexpected": async (scene) =>
      scene.target("DELETE", `/targets/${await scene.added()}`, { body: "{}" }),
    "body.empty": (scene) => scene.target("POST", "/targets", { contentType: "application/json" }),
    "json.malformed": body('{"name": ?}'),
    "json.unset": body("undefined"),
    "json.cut": body('{"name": "a'),
    "json.too-large": body(`{"image":{"type":"Buffer","data":[${"1,".repeat(600_000)}1]}}`),
    "json.twice": body(JSON.stringify("{}")),
    "json.not-object": body("[]"),
    "fields.missing": body("{}"),
    "fields.unknown": (scene) => scene.add({ activeFlag: true }),
    "bytes.lost": of({}),
    "base64.unset": of("[object Promise]"),
    "base64.bytes": of("137,80,78,71"),
    "base64.text": (scene) => scene.add({ application_metadata: "Hello, world!" }),
    "base64.data-uri": of("data:image/png;base64,iVBORw0KGgo="),
    "base64.cut": of("iVBOR=w0"),
    "base64.url": of("iVBORw0KGgo-_w=="),
    "base64.percent": of("iVBORw0KGgo%3D"),
    "base64.escaped": of("iVBORw0KGgo\\nAAAA"),
    "base64.spaces": of("iVBORw0KGgoAAAANSUhEUgAAAAAAAAAA BBBB"),
    "base64.trim": of("iVBORw0KGgo= "),
    "base64.decoded": of("\ufffdPNG"),
    "base64.malformed": of("iVBORw0KGgo*"),
    "base64.lines": (scene) => scene.add({ application_metadata: "YWJj\nYWJj" }),
  });
});

describe("the target's own fields", () => {
  producesCodes({
    "image.type": (scene) => scene.add({ image: 5 }),
    "metadata.type": (scene) => scene.add({ application_metadata: 5 }),
    "metadata.too-large": (scene) => scene.add({ application_metadata: "A".repeat(4 * 2 ** 19) }),
    "flag.wrong": (scene) => scene.add({ active_flag: "true" }),
    "name.type": (scene) => scene.add({ name: 5 }),
    "name.length": (scene) => scene.add({ name: "" }),
    "name.character": (scene) => scene.add({ name: "\u{1f600}" }),
    "name.taken": async (scene) => {
      await scene.add();
      await scene.add();
    },
    "width.wrong": (scene) => scene.add({ width: -1 }),
    "update.null": async (scene) => {
      const id = await scene.added({ image: image.toString("base64") });
      await scene.target("PUT", `/targets/${id}`, { body: { active_flag: null } });
    },
  });
});
