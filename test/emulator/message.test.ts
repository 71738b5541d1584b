import { describe, expect, it } from "vitest";
import { pathMatcher } from "../../src/core/emulator/context.ts";
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

describe("a route's pattern", () => {
  it.each([
    ["/targets", "/targets", {}],
    ["/targets", "/targets/", undefined],
    ["/targets/{id}", "/targets/a%20b", { id: "a b" }],
    ["/targets/{id}", "/targets/a%zz", { id: "a%zz" }],
    ["/targets/{id}", "/targets/", undefined],
    ["/targets/{id}", "/targets/a/b", undefined],
    ["/reports/{id}/{file:[^/]+\\.csv}", "/reports/a/b.csv", { id: "a", file: "b.csv" }],
    ["/reports/{id}/{file:[^/]+\\.csv}", "/reports/a/b_csv", undefined],
    ["/v1.0/query", "/v1.0/query", {}],
    ["/v1.0/query", "/v1x0/query", undefined],
  ])("%s, of the path %s, gives %j", (pattern, path, params) => {
    expect(pathMatcher(pattern)(path)).toEqual(params);
  });
});
