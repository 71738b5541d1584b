import { describe, expect, it } from "vitest";
import { RequestBody } from "../../src/core/emulator/context.ts";
import { decodeServiceBase64 } from "../../src/core/schema/base64.ts";

const BYTES = Buffer.alloc(100_000, "a picture");
const LONG = BYTES.toString("base64");
const json = (image: string, before = "", after = "") => `{${before}"image": "${image}"${after}}`;

describe("a body with a long image", () => {
  it.each([
    ["alone", json(LONG)],
    ["with other fields", json(LONG, '"name":"an image","width":1, ', ',"active_flag":null')],
    ["of which the last group is padded", json(BYTES.subarray(1).toString("base64"))],
    ["with blanks around its colon", `{"image" \n: \t"${LONG}"}`],
  ])("%s has its bytes and its text", (_, text) => {
    const body = new RequestBody(Buffer.from(text));
    expect(body.fields).toStrictEqual(JSON.parse(text));
    expect(body.image).toStrictEqual(decodeServiceBase64(String(body.fields.image)));
    expect(JSON.stringify(body.json)).toBe(JSON.stringify({ value: JSON.parse(text) }));
  });

  it.each([
    ["has another image after it", json(LONG, "", ',"image":""')],
    ["has another one by an escaped name", json(LONG, "", ',"im\\u0061ge":""')],
    ["has it in another object", `{"other":${json(LONG)},"image":"AAAA"}`],
    ["has it in an object only", `{"other":${json(LONG)}}`],
    ["has it in a list", `[${json(LONG)}]`],
    ["has line breaks in it", json(`${LONG.slice(0, 76)}\\n${LONG.slice(76)}`)],
    ["has characters for URLs in it", json(`_-${LONG.slice(2)}`)],
    ["has padding in it", json(`${LONG.slice(0, 20_000)}====${LONG.slice(20_000)}`)],
    ["has padding where a part of it ends", json(`${LONG.slice(0, 32_766)}==${LONG.slice(32_768)}`)],
    ["has no whole groups", json(LONG.slice(1))],
    ["has letters beyond ASCII in it", json(`é${LONG.slice(2)}`)],
    ["is cut off", json(LONG).slice(0, -1)],
    ["is cut off in it", json(LONG).slice(0, -9)],
    ["has no colon", json(LONG).replace(":", " ")],
    ["is no JSON", `${json(LONG)},`],
  ])("is read as any other where it %s", (_, text) => {
    const { image, fields, json: parsed } = new RequestBody(Buffer.from(text));
    expect(image).toBeUndefined();
    let expected: unknown;
    try {
      expected = { value: JSON.parse(text) };
    } catch {
      expected = { error: parsed.error, fault: expect.any(String) };
    }
    expect(parsed).toStrictEqual(expected);
    if (parsed.error !== undefined) expect(fields).toStrictEqual({});
  });
});
