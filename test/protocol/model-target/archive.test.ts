import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { unzipSync } from "fflate";
import { describe, expect, it, vi } from "vitest";
import { datasetArchive } from "../../../src/core/apis/model-target/responses.ts";
import type { Dataset } from "../../../src/core/schema/model-target.ts";
import { sayWhatIsSkipped } from "../../support/skipped.ts";
import { useBundle } from "../../support/use-bundle.ts";
import type { JsonObject } from "../../support/values.ts";
import { describeApi, type OpenApi } from "./api.ts";
import { ADVANCED, bearer, createdUuid, creation, dataset, model } from "./requests.ts";

const hasUnzip = spawnSync("unzip", ["-v"]).error === undefined;
if (!hasUnzip) sayWhatIsSkipped("the archive of a dataset, opened by unzip (no unzip)");

const REQUEST = dataset(
  model({
    name: "Motor ✓",
    cadDataUrl: "https://cad.example/a b.glb",
    views: [{ name: "front", z: 1, a: [true, null] }],
  }),
);

const datasetOf = (requestBody: JsonObject): Dataset => ({
  uuid: "00000000000000000000000000000000",
  datasetTypeName: "ADVANCED",
  requestBody,
  createdAt: 0,
  processingTimeSeconds: 0,
  generationFailureMessage: null,
  generationWarning: null,
  processed: true,
});

/** The digest of the archive below: users may compare downloads, so its bytes must not change. */
const DIGEST = "f8266866b492b7870411c5e3b7b1016223454eb6d92f26e6f9908136ee0a612c";

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function download(openApi: OpenApi, body: unknown): Promise<Buffer> {
  await using api = await openApi({ processingTimeSeconds: 0 });
  const uuid = await createdUuid(api, creation(body, { path: ADVANCED }));
  const received = await api.send({ method: "GET", path: `${ADVANCED}/${uuid}/dataset`, headers: bearer() });
  expect(received.status).toBe(200);
  return received.body;
}

/** Reads a zip by its central directory, independently of the library that wrote it. */
function entriesOf(zip: Buffer): { name: string; time: number; data: Buffer }[] {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    expect(zip.toString("latin1", at, at + 4)).toBe("PK\u0001\u0002");
    expect(zip.readUInt16LE(at + 10)).toBe(0);
    const [nameLength, size, local] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt32LE(at + 24),
      zip.readUInt32LE(at + 42),
    ];
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + size);
    expect(crc32(data)).toBe(zip.readUInt32LE(at + 16));
    const time = zip.readUInt32LE(at + 12);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    return { name, time, data };
  });
}

describeApi("the downloaded zip", (openApi) => {
  it("holds the request and a description, in that order, at a fixed time", async () => {
    const entries = entriesOf(await download(openApi, REQUEST));
    expect(entries.map(({ name }) => name)).toEqual(["MTDataset.dat", "MTDataset.xml"]);
    // 1 January 1980, 12:00, as a zip writes it.
    expect(entries.map(({ time }) => time)).toEqual([0x00216000, 0x00216000]);
    const [metadata, description] = entries.map(({ data }) => data.toString());
    expect(metadata).toBe(
      '{"datasetType":"ADVANCED","request":{"models":[{"cadDataUrl":"https://cad.example/a b.glb","name":"Motor \\u2713",' +
        '"views":[{"a":[true,null],"name":"front","z":1}]}],"name":"machine room","targetSdk":"10.9"}}',
    );
    expect(description).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<\w+ [^<>]*\/>\n$/);
  });

  it("leaves out CAD data", async () => {
    const blob = Buffer.from("cad data").toString("base64");
    const zip = await download(openApi, dataset({ name: "a", cadDataBlob: blob, views: [] }));
    expect(zip.toString("latin1")).not.toContain(blob);
  });

  it("opens with a library", async () => {
    const files = unzipSync(await download(openApi, REQUEST));
    expect(JSON.parse(Buffer.from(files["MTDataset.dat"] ?? []).toString())).toEqual({
      datasetType: "ADVANCED",
      request: REQUEST,
    });
  });

  // Not every machine has unzip; the library above reads the archive everywhere.
  it.runIf(hasUnzip)("opens with unzip", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dataset-"));
    const file = join(folder, "full-dataset.zip");
    writeFileSync(file, await download(openApi, REQUEST));
    const listed = execFileSync("unzip", ["-Z1", file], { encoding: "utf8" });
    const tested = execFileSync("unzip", ["-t", file], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect(listed).toBe("MTDataset.dat\nMTDataset.xml\n");
    expect(tested).toContain("No errors detected");
  });

  it("has the same bytes for the same request, whatever the order of its keys", async () => {
    const reversed = Object.fromEntries(Object.entries(REQUEST).reverse());
    expect(await download(openApi, reversed)).toEqual(await download(openApi, REQUEST));
    expect(await download(openApi, REQUEST)).toEqual(await datasetArchive(datasetOf(REQUEST)));
    expect(digestOf(await download(openApi, REQUEST))).toBe(DIGEST);
  });
});

describe("the archive of a dataset", () => {
  it("has the same bytes at any time", async () => {
    vi.useFakeTimers({ now: Date.UTC(2044, 6, 1) });
    try {
      expect(digestOf(await datasetArchive(datasetOf(REQUEST)))).toBe(DIGEST);
    } finally {
      vi.useRealTimers();
    }
  });

  const responses = useBundle("src/core/apis/model-target/responses.ts");

  it.each([
    ["America/St_Johns", "20"],
    ["Pacific/Kiritimati", "13"],
    ["Africa/Monrovia", "23"],
  ])("has the same bytes in a process in %s", async (zone, hour) => {
    const program = `
      import { datasetArchive } from ${JSON.stringify(responses())};
      const zip = await datasetArchive(${JSON.stringify(datasetOf(REQUEST))});
      process.stdout.write(new Date(0).getHours() + " " + zip.toString("base64"));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      env: { ...process.env, TZ: zone, LC_ALL: "C" },
    });
    const [hourAtEpoch, zip = ""] = printed.split(" ");
    expect(hourAtEpoch).toBe(hour);
    expect(digestOf(Buffer.from(zip, "base64"))).toBe(DIGEST);
  });
});
