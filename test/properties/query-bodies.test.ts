import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Mock, type Response } from "../apis/query/mock.ts";
import { goodPlan, imagePart, multipart, signedQuery } from "../apis/query/plan.ts";
import { ROWS } from "../apis/query/rows.ts";

/** Body, content type and status of every answer in the table, with the parts that vary blanked. */
const shape = (status: number, contentType: string | undefined, body: string) =>
  `${status} ${contentType} ${body
    .replace(/"[0-9a-f]{32}"/, '"ID"')
    .replace(/^(Invalid value '|Integer out of range \().*(' in|\) in)/s, "$1$2")}`;
const SHAPES = new Set(
  ROWS.map(({ expected }) => shape(expected.status, expected.headers["Content-Type"], expected.body)),
);

function expectAnswerOfTheTable({ status, headers, text }: Response): void {
  if (status === 200)
    expect(text).toMatch(/^\{"result_code":"Success","results":\[.*\],"query_id":"[0-9a-f]{32}"\}$/);
  else expect(SHAPES).toContain(shape(status, Object.fromEntries(headers)["Content-Type"], text));
}

describe("any body gets an answer of the table", () => {
  const boundaries = fc.stringMatching(/^[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e\xa0-\xff]{1,70}$/);
  const send = async (body: Buffer, boundary: string, quoted: boolean) => {
    const mock = new Mock();
    const written = quoted ? `"${boundary}"` : boundary;
    const plan = { ...goodPlan(mock.now), contentType: `multipart/form-data; boundary=${written}` };
    return mock.send(signedQuery(plan, mock.database, body));
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
      { numRuns: 300 },
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
    const cuts = [...Array(200).keys(), ...Array.from({ length: 400 }, (_, index) => good.length - index)];
    for (const cut of cuts) {
      const response = await send(good.subarray(0, cut), "b0undary", false);
      expectAnswerOfTheTable(response);
      outcomes.set(cut, response.status);
    }
    expect(outcomes.get(0)).toBe(400);
    // Its last bytes are "\r\n--b0undary--\r\n" behind the last part.
    expect(outcomes.get(good.length)).toBe(200);
    expect(outcomes.get(good.length - 4)).toBe(200);
  });
});
