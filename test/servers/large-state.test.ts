import { createHash } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePng } from "../support/png.ts";
import { RawConnection } from "./raw-connection.ts";

/** As large as an image may be. Together, they exceed what any other request body may have. */
const IMAGE_BYTES = 2_359_293;
const TARGETS = 22;
const MIB = 2 ** 20;

let servers: Awaited<ReturnType<typeof startServers>>;
beforeAll(async () => {
  servers = await startServers({ processingTimeSeconds: 0 });
});
afterAll(() => servers.stop());

const call = (path: string, init: RequestInit = {}) => fetch(servers.urls.manager + path, init);
const post = (path: string, fields: object) => call(path, { method: "POST", body: JSON.stringify(fields) });

interface State {
  readonly databases: readonly { readonly targets: readonly object[] }[];
  readonly images: Record<string, string>;
}

/** A snapshot with one target for each image. Nothing decodes images that are restored. */
async function snapshotWith(images: readonly Buffer[]): Promise<State> {
  await call("/reset", { method: "POST" });
  await post("/cloud_databases", { database_name: "large" });
  const image = makePng().toString("base64");
  await post("/cloud_databases/large/targets", { name: "first", width: 1, image_base64: image });
  const state = (await (await call("/snapshot")).json()) as State;
  const [database] = state.databases;
  const shaOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  const targets = images.map((bytes, number) => ({
    ...database?.targets[0],
    name: `target ${number}`,
    targetId: `${number}`.padStart(4, "0"),
    image: shaOf(bytes),
  }));
  return {
    ...state,
    databases: [{ ...database, targets }],
    images: Object.fromEntries(images.map((bytes) => [shaOf(bytes), bytes.toString("base64")])),
  };
}

const restore = async (state: State | string) => {
  const body = typeof state === "string" ? state : JSON.stringify(state);
  const response = await call("/snapshot", { method: "PUT", body });
  return [response.status, await response.text()];
};

test("a snapshot and a listing larger than any other body pass in both directions", async () => {
  const images = Array.from({ length: TARGETS }, (_, number) => Buffer.alloc(IMAGE_BYTES, `${number} `));
  const state = await snapshotWith(images);
  expect(await restore(state)).toEqual([200, ""]);

  const snapshot = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${servers.urls.manager}/snapshot`, resolve).on("error", reject).end();
  });
  // Others are answered while one client does not read on.
  expect((await call("/livez")).status).toBe(200);
  const text = await readText(snapshot);
  expect(text.length).toBeGreaterThan(64 * MIB);
  expect(text.length).toBe(Number(snapshot.headers["content-length"]));
  const { images: got, ...others } = JSON.parse(text) as State;
  expect(others).toEqual({ ...state, images: undefined });
  expect(Object.entries(got).every(([sha256, base64]) => state.images[sha256] === base64)).toBe(true);
  expect(Object.keys(got)).toHaveLength(TARGETS);

  const listing = await call("/cloud_databases");
  expect(listing.headers.get("transfer-encoding")).toBeNull();
  const [listed] = (await listing.json()) as [{ readonly targets: readonly { image_base64: string }[] }];
  expect(listed.targets.map(({ image_base64: image }) => image.length)).toEqual(
    images.map(() => IMAGE_BYTES * (4 / 3)),
  );
}, 60_000);

test("a stream ends its connection when the client asks for that", async () => {
  expect(await restore(await snapshotWith([Buffer.alloc(IMAGE_BYTES, "image")]))).toEqual([200, ""]);
  const connection = await RawConnection.open(Number(new URL(servers.urls.manager).port));
  const got = await connection.write("GET /snapshot HTTP/1.1\r\nConnection: close\r\n\r\n").rest();
  const [head = "", body = ""] = got.split("\r\n\r\n");
  expect(head.split("\r\n")).toContain("Connection: close");
  expect(body.length).toBe(Number(/^Content-Length: (\d+)$/m.exec(head)?.[1]));
});

test("a snapshot with a wrong image is refused and changes nothing", async () => {
  const state = await snapshotWith([Buffer.alloc(99, "image")]);
  const [[sha256, base64] = ["", ""]] = Object.entries(state.images);
  for (const wrong of [`!${base64.slice(1)}`, base64.slice(4), `${base64}AAAA`, ""]) {
    expect(await restore({ ...state, images: { [sha256]: wrong } })).toEqual([
      400,
      expect.stringContaining("is not the base64 of an image with that SHA-256"),
    ]);
  }
  const [listed] = (await (await call("/cloud_databases")).json()) as [{ targets: object[] }];
  expect(listed.targets).toMatchObject([{ name: "first" }]);
  expect(await restore({ ...state, images: { [sha256]: base64 } })).toEqual([200, ""]);
});

test("of many targets, the first wrong one is named", async () => {
  const state = await snapshotWith(Array.from({ length: 450 }, (_, number) => Buffer.from(`${number}`)));
  const withWrong = (wrong: Readonly<Record<number, object>>) => ({
    ...state,
    databases: state.databases.map((database) => ({
      ...database,
      targets: database.targets.map((target, index) => ({ ...target, ...wrong[index] })),
    })),
  });
  expect(await restore(withWrong({ 399: { width: -1 }, 400: { name: "" } }))).toEqual([
    400,
    expect.stringContaining("snapshot.databases[0].targets[399].width: expected "),
  ]);
  expect(await restore(withWrong({ 449: { name: "target 3" } }))).toEqual([
    400,
    expect.stringContaining("snapshot.databases[0].targets[449].name: expected a unique value"),
  ]);
  expect(await restore(withWrong({}))).toEqual([200, ""]);
});
