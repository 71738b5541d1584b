import { perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";

describeBackends("a query whose picture opens but is not decoded", (backend) => {
  it("says why, and nothing about thresholds or other angles", async () => {
    await using service = await backend.open({ processingTimeSeconds: 0, targetRater: perfectRater });
    const session = new MockSession(service, await service.addCloudDatabase(), () => service.clock.now());
    await session.add();
    const jpeg = await sharp(makePng()).jpeg().toBuffer();
    jpeg.writeUInt8(12, jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 4);
    await session.query(jpeg);
    const { cause, reason, considered } = await service.latest();
    expect(cause).toMatchObject({ code: "picture.unreadable" });
    expect(reason).toMatch(
      /^convert the JPEG to a baseline or progressive one of 8 bits a sample: it has 12 bits a sample$/,
    );
    expect(considered).toMatchObject([
      {
        code: "target.not-compared",
        why: "not compared: send a PNG or JPEG; the mock cannot decode the query's picture",
      },
    ]);
  });
});
