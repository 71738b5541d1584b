import { featureMatcher, ManualClock, MockCloudReco, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { results, START } from "../protocol/query/send.ts";
import { drawLeaves, type Grey, photograph, pngOf } from "../support/photographs.ts";
import { layOut } from "../support/recognition.ts";
import { drawStructured } from "../support/structured-pictures.ts";

describe("one thing in a photograph is one result", () => {
  /** Adds targets by their names, and returns what a query finds and why the others were not found. */
  async function find(files: Readonly<Record<string, Buffer>>, query: Buffer) {
    const clock = new ManualClock(START);
    await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher, clock });
    const keys = mock.addCloudDatabase();
    for (const [name, image] of Object.entries(files))
      await mock.addTarget(keys, { name, targetId: name, image, processed: true });
    const found = await results({ urls: mock.urls, clock }, keys, query, { max_num_results: "10" });
    const { considered = [] } = mock.requests.at(-1) ?? {};
    return {
      found: found.map(({ target_id }) => target_id).sort(),
      others: considered.flatMap(({ name, matched, why }) => (matched ? [] : [`${name}: ${why}`])),
    };
  }

  let tickets: Readonly<Record<string, Buffer>>;
  let leaves: readonly [Buffer, Buffer];
  const SAME_PLACE =
    /^other ticket: no match: \d+ features agree, but the same place shows ticket, with more features$/;
  beforeAll(async () => {
    tickets = {
      "other ticket": await pngOf(await drawStructured("tickets", 1)),
      ticket: await pngOf(await drawStructured("tickets", 2)),
    };
    leaves = [await pngOf(drawLeaves(81_001, 400, 300)), await pngOf(drawLeaves(81_002, 400, 300))];
  }, 60_000);

  it("finds the ticket that a photograph shows, not another one of its template", async () => {
    const picture = await drawStructured("tickets", 2);
    const query = await pngOf(await photograph(picture, { tilt: 20, scale: 0.8, cover: 0 }, 1));
    expect(await find(tickets, query)).toEqual({
      found: ["ticket"],
      others: [expect.stringMatching(SAME_PLACE)],
    });
  });

  it("finds the ticket whose file is queried, not another one of its template", async () => {
    expect(await find(tickets, tickets.ticket ?? Buffer.alloc(0))).toEqual({
      found: ["ticket"],
      others: [expect.stringMatching(SAME_PLACE)],
    });
  });

  /** A picture with a logo on it. */
  async function withLogo(seed: number, logo: Grey, width: number, left: number, top: number): Promise<Grey> {
    const input = await sharp(await pngOf(logo))
      .resize(width)
      .toBuffer();
    const { data, info } = await sharp(await pngOf(drawLeaves(seed, 640, 480)))
      .composite([{ input, left, top }])
      .toColourspace("b-w")
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  }
  const FRAME = { width: 1000, height: 750 };

  it("finds the poster that a photograph shows, not another one with the same logo", async () => {
    const logo = drawLeaves(904, 480, 360);
    const picture = await withLogo(933, logo, 200, 190, 100);
    const [shown, other] = [await pngOf(picture), await pngOf(await withLogo(963, logo, 200, 290, 140))];
    const query = await pngOf(await photograph(picture, { tilt: 24, scale: 0.8, cover: 0 }, 3, FRAME));
    const tooLittle = /^other: no match: \d+ features agree, but the pixels show only \d % of the target$/;
    for (const targets of [{ shown, other }, { other }]) {
      expect(await find(targets, query)).toEqual({
        found: "shown" in targets ? ["shown"] : [],
        others: [expect.stringMatching(tooLittle)],
      });
    }
  });

  it("finds all copies of a page, of which the pixels show a little more or less", async () => {
    const page = await drawStructured("pages", 41);
    const files: Record<string, Buffer> = {};
    for (const [index, quality] of [30, 40, 50, 60, 70, 80].entries()) {
      const copy = sharp(await pngOf(page)).resize(index % 2 === 0 ? 480 : 640);
      files[`copy ${index}`] = await copy.jpeg({ quality }).toBuffer();
    }
    const view = { tilt: 20, scale: 0.8, cover: 0.4 };
    const query = await pngOf(await photograph(page, view, 91, FRAME));
    expect((await find(files, query)).found).toEqual(Object.keys(files));
  });

  it("finds the logo that a photograph shows, not a poster with it, even if that has more of its features", async () => {
    const large = drawLeaves(905, 480, 360);
    const logo = await sharp(await pngOf(large))
      .resize(90)
      .toColourspace("b-w")
      .png()
      .toBuffer();
    const poster = await pngOf(await withLogo(934, large, 300, 170, 100));
    const query = await pngOf(await photograph(large, { tilt: 10, scale: 0.3, cover: 0 }, 2, FRAME));
    expect(await find({ logo, poster }, query)).toEqual({
      found: ["logo"],
      others: [
        expect.stringMatching(
          /^poster: no match: \d+ features agree, but the same place shows logo, and more of it$/,
        ),
      ],
    });
  });

  it("finds a picture and another one that lies on it", async () => {
    const [below, above] = leaves;
    const query = await layOut([
      { file: below, left: 80, top: 80, turn: 0 },
      { file: above, left: 240, top: 160, turn: 12 },
    ]);
    expect((await find({ below, above }, query)).found).toEqual(["above", "below"]);
  });

  it("finds a picture and another one that it shows", async () => {
    const [page, inset] = leaves;
    const inner = await sharp(inset).resize(160).png().toBuffer();
    const collage = await sharp(page)
      .composite([{ input: inner, left: 200, top: 150 }])
      .removeAlpha()
      .png()
      .toBuffer();
    const query = await layOut([{ file: collage, left: 150, top: 120, turn: 8 }]);
    expect((await find({ collage, inset }, query)).found).toEqual(["collage", "inset"]);
  });

  it("finds all copies of what is there", async () => {
    const [first, other] = leaves;
    const copy = await sharp(first).resize(320).jpeg({ quality: 50 }).toBuffer();
    const query = await layOut([{ file: first, left: 150, top: 120, turn: 8 }]);
    expect((await find({ first, copy, other }, query)).found).toEqual(["copy", "first"]);
  });
});
