import { expect, it } from "vitest";
import { header } from "../../src/core/message.ts";

it("a header is found by its case-insensitive name; repeated ones are joined", () => {
  const headers = [
    ["X-Own", "a"],
    ["X-Owner", "no"],
    ["x-own", ""],
    ["X-OWN", "c"],
    ["Date", "d"],
  ] as const;
  expect(header({ headers }, "X-Own")).toBe("a, , c");
  expect(header({ headers }, "date")).toBe("d");
  expect(header({ headers }, "X-Ow")).toBeUndefined();
});
