import { perfectRater, samplePicture } from "mock-cloud-reco";
import sharp from "sharp";
import { expect, it } from "vitest";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng, makeUpsideDownPng, orientationChunk } from "../../support/png.ts";

/** The pixels of a picture turned by a quarter, as a phone stores them, with EXIF data that says so. */
const byPhone = async (shown: Buffer): Promise<Buffer> =>
  sharp(shown).rotate(270).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();

describeBackends("pictures that EXIF data turn", (backend) => {
  const open = async () => {
    const service = await backend.open({
      processingTimeSeconds: 0,
      targetRater: perfectRater,
      queryContentEncoding: "identity",
    });
    const session = new MockSession(service, await service.addCloudDatabase(), () => service.clock.now());
    const added = async (name: string, image: Buffer): Promise<string> =>
      JSON.parse((await session.add({ name, image: image.toString("base64") })).body.toString()).target_id;
    const found = async (image: Buffer): Promise<readonly unknown[]> =>
      JSON.parse((await session.query(image)).body.toString()).results.map(
        ({ target_id: id }: { target_id: string }) => id,
      );
    return { service, session, added, found };
  };

  it("are compared as viewers show them, in queries and as duplicates", async () => {
    const { service, session, added, found } = await open();
    await using _: ServiceUnderTest = service;
    const shown = await samplePicture(1);
    const ids = [await added("phone", await byPhone(shown)), await added("screen", shown)];
    expect(ids).toContain((await found(shown))[0]);
    expect(ids).toContain((await found(await byPhone(shown)))[0]);
    const { body } = await session.target({ method: "GET", path: `/duplicates/${ids[0]}` });
    expect(JSON.parse(body.toString()).similar_targets).toEqual([ids[1]]);
    // Upright pixels that EXIF data turn away.
    const turned = await sharp(shown).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    expect(await found(turned)).toEqual([]);
  });

  it("are PNG files whose eXIf chunk is in front of the pixels, as browsers read it", async () => {
    const { service, added, found } = await open();
    await using _: ServiceUnderTest = service;
    const id = await added("upright", makePng());
    expect(await found(makeUpsideDownPng())).toEqual([id]);
    const end = makePng().length - 12;
    const late = Buffer.concat([makePng().subarray(0, end), orientationChunk(3), makePng().subarray(end)]);
    expect(await found(late)).toEqual([id]);
  });
});
