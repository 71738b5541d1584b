import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { expect, test } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { breakChecksum, makePng, pngChunk } from "../support/png.ts";

const png = makePng();
const idat = png.indexOf("IDAT", 8, "latin1") - 4;
const pixels = png.subarray(idat + 8, idat + 8 + png.readUInt32BE(idat));
const withPixels = (data: Buffer) =>
  Buffer.concat([png.subarray(0, idat), pngChunk("IDAT", data), pngChunk("IEND")]);
const text = (chunk: string, data: Buffer) => makePng({ before: [pngChunk(chunk, data)] });
const jpeg = () => sharp(png).resize(64, 64).jpeg().toBuffer();

const LONG_TEXT = Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(Buffer.alloc(2_000_000, "a"))]);

/** Each picture of the guide's table. */
const FILES: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  "file that ends early": () => png.subarray(0, -200),
  "wrong CRC of IDAT": () => breakChecksum(png, "IDAT"),
  "wrong CRC of an ancillary chunk before IDAT": () =>
    breakChecksum(text("tEXt", Buffer.from("Comment\0a")), "tEXt"),
  "wrong CRC of IEND": () => breakChecksum(png, "IEND"),
  "wrong Adler-32": () => {
    const wrong = Buffer.from(pixels);
    wrong.writeUInt8((wrong.at(-1) ?? 0) ^ 1, wrong.length - 1);
    return withPixels(wrong);
  },
  "missing Adler-32": () => withPixels(pixels.subarray(0, -4)),
  "zTXt of more than 1 MB": () => text("zTXt", LONG_TEXT),
  "unknown critical chunk": () => text("ABCD", Buffer.alloc(0)),
  "bytes after IEND": () => Buffer.concat([png, Buffer.from("more")]),
  "JPEG of 12 bits a sample": async () => {
    const bytes = await jpeg();
    bytes.writeUInt8(12, bytes.indexOf(Buffer.from([0xff, 0xc0])) + 4);
    return bytes;
  },
  "MPO or Ultra HDR": async () => Buffer.concat([await jpeg(), await jpeg()]),
};

async function rowOf([what, make]: readonly [string, (typeof FILES)[string]]): Promise<string> {
  const bytes = await make();
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  const session = new MockSession(mock, mock.addCloudDatabase());
  await mock.addTarget(session.database, { name: "same", image: png, processed: true });
  const { status } = await session.add({ name: what, image: bytes.toString("base64") });
  mock.finishProcessing();
  const { status: answer } = await session.query(bytes);
  const isUnread = mock.requests.at(-1)?.cause?.code === "picture.unreadable";
  const query = answer !== 200 ? "refused" : isUnread ? "matches nothing" : "compared";
  return `| ${what} | ${status === 201 ? "accepted" : "refused"} | ${query} |`;
}

test("the guide's table of pictures says what this decoder does", async () => {
  const guide = readFileSync(new URL("../../examples/behaviour/README.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- decoders -->\n\| .*\n\| -.*\n((?:\|.*\n)+)/.exec(guide) ?? [];
  expect(table.trimEnd().split("\n")).toEqual(await Promise.all(Object.entries(FILES).map(rowOf)));
});
