import { authorizationHeader, brisqueRater, featureRater, MockCloudReco } from "mock-cloud-reco";
import type { Sharp, default as sharp } from "sharp";
import { afterEach, expect, test, vi } from "vitest";
import { loadModule } from "../../src/emulator/package.ts";
import { decodePixels, decodeThumbnail, drawThumbnail } from "../../src/images/decode.ts";
import { inspectTargetImage } from "../../src/images/inspect.ts";
import { assessImage } from "../../src/images/on-demand.ts";
import { resolveOptions } from "../../src/mock/options.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { startJoinedServers } from "../support/separate-servers.ts";

const OUT_OF_MEMORY = "vips_malloc: out of memory --- size == 1234567890";
/** The instance that the package uses. */
const used: typeof sharp = loadModule("sharp");
const prototype: Sharp = Object.getPrototypeOf(used(Buffer.alloc(1)));

/** Lets the decoder fail as it does when the machine has no memory left, which no test can provoke otherwise. */
const exhaustMemory = () =>
  vi.spyOn(prototype, "toBuffer").mockImplementation(() => Promise.reject(new Error(OUT_OF_MEMORY)));

afterEach(() => vi.restoreAllMocks());

let drawn = 0;
/** An image that nothing has seen before. */
const newImage = () => {
  drawn += 1;
  return makePng({ width: 30 + drawn, fill: (index) => noiseByte(index + drawn * 7919) });
};

test.each([
  ["the check of an added image", inspectTargetImage],
  ["its processing", (image: Buffer) => assessImage(image, brisqueRater)],
  ["its thumbnail", drawThumbnail],
  ["its comparison", decodeThumbnail],
  ["its pixels", (image: Buffer) => decodePixels(image, async () => "pixels")],
])(
  "a decoder without memory fails %s, which is not remembered",
  async (_name, use: (image: Buffer) => Promise<unknown>) => {
    const image = newImage();
    const failing = exhaustMemory();
    await expect(use(image)).rejects.toThrow(`the image decoder failed: ${OUT_OF_MEMORY}`);
    failing.mockRestore();
    expect(await use(image)).not.toHaveProperty("damage");
    expect(await use(image)).not.toMatchObject({ ok: false });
  },
);

test.each([
  ["quality", brisqueRater],
  ["features", featureRater],
])("in process, it is thrown, by %s", async (_, targetRater) => {
  await using mock = new MockCloudReco({ targetRater });
  const database = mock.addCloudDatabase();
  const target = { name: "poster", image: newImage() };
  const failing = exhaustMemory();
  await expect(mock.addTarget(database, target)).rejects.toThrow(OUT_OF_MEMORY);
  failing.mockRestore();
  await mock.addTarget(database, target);
  expect(database.targets).toMatchObject([{ name: "poster" }]);
});

test("servers answer 503, and accept the same image later", async () => {
  const listen = { host: "127.0.0.1", port: 0 };
  const servers = await startJoinedServers({
    listen: { manager: listen, target: listen, query: listen },
    options: (targetUrl) => resolveOptions({ targetUrl }),
  });
  try {
    const keys = { server_access_key: "key", server_secret_key: "secret" };
    await fetch(`${servers.manager.url}/cloud_databases`, { method: "POST", body: JSON.stringify(keys) });
    const body = JSON.stringify({ name: "poster", width: 1, image: newImage().toString("base64") });
    const add = () => {
      const [date, contentType] = [new Date().toUTCString(), "application/json"];
      const parts = { accessKey: "key", secretKey: "secret", method: "POST", path: "/targets", body };
      const authorization = authorizationHeader({ ...parts, date, contentType });
      const headers = { Date: date, Authorization: authorization, "Content-Type": contentType };
      return fetch(`${servers.target.url}/targets`, { method: "POST", headers, body });
    };
    const failing = exhaustMemory();
    const failed = await add();
    expect([failed.status, await failed.text()]).toEqual([503, `the image decoder failed: ${OUT_OF_MEMORY}`]);
    expect(servers.manager.journal.entries.at(-1)).toMatchObject({ refusedBy: "imageDecoder", status: 503 });
    failing.mockRestore();
    expect((await add()).status).toBe(201);
  } finally {
    await servers.close(0);
  }
});
