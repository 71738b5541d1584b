import { expect, it } from "vitest";
import { header } from "../../src/core/emulator/message.ts";

it("reads a list of headers once, however many headers are asked for", () => {
  let scans = 0;
  const headers: (readonly [string, string])[] = [
    ["Date", "today"],
    ["ACCEPT", "a/b"],
    ["accept", "c/d"],
  ];
  const iterate = headers[Symbol.iterator].bind(headers);
  headers[Symbol.iterator] = () => {
    scans += 1;
    return iterate();
  };
  expect(["date", "Accept", "host", "DATE"].map((name) => header({ headers }, name))).toEqual([
    "today",
    "a/b, c/d",
    undefined,
    "today",
  ]);
  expect(scans).toBe(1);
});
