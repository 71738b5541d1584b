import { describe, expect, it } from "vitest";
import { pathMatcher } from "../../src/core/emulator/context.ts";

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
