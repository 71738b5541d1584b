import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placeholder } from "../../conformance/engine/situation.ts";
import { FACTS } from "../../conformance/facts.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { type ClientResponse, fetchClient } from "../../support/clients.ts";
import { ALL, times } from "../../support/combinations.ts";
import { goodPlan, imagePart, multipart, queryOf } from "../../support/query-plan.ts";
import { decoded } from "./send.ts";

/** Body, content type and status of every answer in the table, with the parts that vary blanked. */
const shape = (status: number, contentType: string | undefined, body: string) =>
  `${status} ${contentType} ${body
    .replace(/"[0-9a-f]{32}"/, '"ID"')
    .replace(/^(Invalid value '|Integer out of range \().*(' in|\) in)/s, "$1$2")}`;
const SHAPES = new Set(
  FACTS.filter(({ api }) => api === "query").map(({ expected }) => {
    const {
      status,
      headers = [],
      body,
    } = expected(placeholder({ profile: "neutral", keys: {}, prefix: "" }, new Date()));
    return shape(
      status,
      headers.find(([name]) => name.toLowerCase() === "content-type")?.[1],
      body.replace("<id>", "ID"),
    );
  }),
);

function expectAnswerOfTheTable(response: ClientResponse): void {
  const text = decoded(response);
  if (response.status === 200) {
    expect(text).toMatch(/^\{"result_code":"Success","results":\[.*\],"query_id":"[0-9a-f]{32}"\}$/);
  } else expect(SHAPES).toContain(shape(response.status, response.headers["content-type"], text));
}

describeBackends("any body of a query gets an answer of the table", (backend) => {
  const boundaries = fc.stringMatching(/^[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e\xa0-\xff]{1,70}$/);
  let service: ServiceUnderTest;
  let keys: DatabaseKeys;
  beforeAll(async () => {
    service = await backend.open();
    keys = await service.addCloudDatabase();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const send = (body: Buffer, boundary: string, quoted: boolean) => {
    const written = quoted ? `"${boundary}"` : boundary;
    const contentType = `multipart/form-data; boundary=${written}`;
    const plan = { ...goodPlan(service.clock.now()), contentType };
    const url = `${service.urls.query}/v1/query`;
    return fetchClient({ url, ...queryOf(plan, keys, body) });
  };

  test("any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(boundaries, fc.uint8Array({ maxLength: 2000 }), async (boundary, bytes) => {
        expectAnswerOfTheTable(await send(Buffer.from(bytes), boundary, false));
      }),
    );
  });

  test("pieces of multipart bodies, in any order", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "\r\n",
        "--",
        "\r\n\r\n",
        "BOUNDARY",
        "\r\n--BOUNDARY\r\n",
        "\r\n--BOUNDARY--",
        ":",
        '"',
        ";",
      ),
      fc.constantFrom(
        "Content-Disposition: form-data",
        '; name="image"',
        '; filename=""',
        '; name="max_num_results"',
      ),
      fc.constantFrom(
        "Content-Type: text/plain; charset=utf-16le\r\n",
        "Content-Transfer-Encoding: base64\r\n",
      ),
      fc.string({ maxLength: 20 }),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    );
    await fc.assert(
      fc.asyncProperty(boundaries, fc.array(piece, { maxLength: 40 }), async (boundary, pieces) => {
        const body = Buffer.from(pieces.map((text) => text.replace("BOUNDARY", boundary)).join(""), "latin1");
        expectAnswerOfTheTable(await send(body, boundary, true));
      }),
      { numRuns: times(300, 100) },
    );
  });

  test("a good body, cut at any place", async () => {
    const good = multipart(
      [
        { name: "max_num_results", content: "5" },
        imagePart(),
        { name: "include_target_data", content: "all" },
      ],
      "b0undary",
    );
    const outcomes = new Map<number, number>();
    const ends = Array.from({ length: 20 }, (_, index) => good.length - index);
    const others = [
      ...Array(60).keys(),
      ...Array.from({ length: 140 }, (_, index) => good.length - 20 - index),
    ];
    const cuts = [...ends, ...others.filter((_, index) => ALL || index % 3 === 0)];
    for (const cut of cuts) {
      const response = await send(good.subarray(0, cut), "b0undary", false);
      expectAnswerOfTheTable(response);
      outcomes.set(cut, response.status);
    }
    expect(outcomes.get(0)).toBe(400);
    // It ends with "\r\n--b0undary--\r\n" after the last part.
    expect(outcomes.get(good.length)).toBe(200);
    expect(outcomes.get(good.length - 2)).toBe(200);
    for (const within of [3, 4]) expect(outcomes.get(good.length - within)).toBe(400);
    expect(outcomes.get(good.length - "\r\n--b0undary--\r\n".length)).toBe(200);
  });

  test.each([
    ["between the boundary and its two hyphens", "\r\n--b0undary", 400, "No image."],
    ["before the closing boundary", "\r\n--b0undary--", 200, '"result_code":"Success"'],
    ["within the head of the image", "IHDR", 422, "BadImage"],
    ["within the data of the image", "IEND", 422, "BadImage"],
    ["behind the part's headers", "\x89PNG", 422, "BadImage"],
    ["behind a header line", "Content-Type", 422, "BadImage"],
    ["with a header, before its line end", "\r\nContent-Type", 422, "BadImage"],
    [
      "within the file name of Content-Disposition",
      '"\r\nContent-Type',
      400,
      "Could find no Content-Disposition",
    ],
    ["within Content-Disposition", "form-data", 400, "Could find no Content-Disposition header within part"],
    ["behind the first boundary's line", "Content-Disposition", 400, "Could find no Content-Disposition"],
  ])("a body that ends %s", async (where, before, status, shown) => {
    const good = multipart([imagePart()], "b0undary");
    // Behind the boundary itself, and in front of every other text.
    const cut =
      good.lastIndexOf(before, undefined, "latin1") + (where.startsWith("between") ? before.length : 0);
    const response = await send(good.subarray(0, cut), "b0undary", false);
    expect([response.status, decoded(response)]).toEqual([status, expect.stringContaining(shown)]);
  });

  test("a body that ends within a JPEG, which may have a complete thumbnail", async () => {
    const background = { r: 200, g: 30, b: 30 };
    const picture = sharp({ create: { width: 64, height: 64, channels: 3, background } }).jpeg();
    const jpeg = await picture.toBuffer();
    const thumbnail = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 0]), jpeg]);
    thumbnail.writeUInt16BE(jpeg.length + 2, 2);
    const image = Buffer.concat([jpeg.subarray(0, 2), thumbnail, jpeg.subarray(2)]);
    const good = multipart([imagePart(image)], "b0undary");
    const end = good.lastIndexOf("\r\n--b0undary--");
    expect((await send(good.subarray(0, end), "b0undary", false)).status).toBe(200);
    expect((await send(good.subarray(0, end - 2), "b0undary", false)).status).toBe(422);
  });

  test.each([
    ['form-data; name="image"; filename="a b.png"', "a b.png"],
    ['form-data; name="image"; filename=""', ""],
    ['form-data; name="image"; filename="a"; filename="b"', "a"],
    ['form-data; name="image";\r\n filename="folded"', "folded"],
    ['form-data; name="ima\\ge"; filename="a\\"b"', undefined],
    ['form-data; name="\\image"; filename="a\\"b"', undefined],
    ["form-data; name=image; filename=my photo.png", "my photo.png"],
    ['attachment; name="image"; filename="a"', undefined],
    ['form-data; name="image"', undefined],
    ['form data; name="image"; filename="a"', undefined],
  ])("the journal shows the image that the checks find: %s", async (disposition, filename) => {
    const image = Buffer.from(imagePart().content);
    const start = `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: image/png\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(start), image, Buffer.from("\r\n--b--\r\n")]);
    const { status } = await send(body, "b", false);
    const shown = (await service.latest()).request?.body.fields?.image;
    const isFound = status === 200;
    expect([isFound, typeof shown === "object" && shown.filename]).toEqual(
      filename === undefined ? [false, false] : [true, filename],
    );
    if (isFound) expect(shown).toMatchObject({ contentType: "image/png", bytes: image });
  });
});
