import { InvalidOptionError, MockCloudReco } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { makePng } from "../support/png.ts";

const MOST_BYTES = 1_048_575;

async function added(applicationMetadata: string | Uint8Array | null) {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  const target = await mock.addTarget(database, { image: makePng(), applicationMetadata });
  return target.applicationMetadata;
}

it.each([
  ["a Buffer", Buffer.from("hello"), "aGVsbG8="],
  ["a Uint8Array", new Uint8Array([0, 255]), "AP8="],
  ["no bytes", Buffer.alloc(0), ""],
  ["base64", "aGVsbG8=", "aGVsbG8="],
  ["base64 without its padding", "aGVsbG8", "aGVsbG8"],
  ["null", null, null],
])("takes metadata given as %s", async (_what, given, kept) => {
  expect(await added(given)).toBe(kept);
});

it("accepts as many bytes as the target API does, and no more", async () => {
  const most = Buffer.alloc(MOST_BYTES, 1);
  expect(await added(most)).toBe(most.toString("base64"));
  expect(await added(most.toString("base64"))).toBe(most.toString("base64"));
  const tooMuch = Buffer.alloc(MOST_BYTES + 1);
  for (const given of [tooMuch, tooMuch.toString("base64")]) {
    const adding = added(given);
    await expect(adding).rejects.toThrow(InvalidOptionError);
    await expect(adding).rejects.toThrow(/applicationMetadata: expected base64 .*at most 1048575 bytes/);
  }
});

it.each(["a=b", "ä", "a b"])("refuses %j, which is not base64", async (given) => {
  await expect(added(given)).rejects.toThrow(/applicationMetadata: expected base64 .*; got "/);
});
