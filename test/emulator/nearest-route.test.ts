import { describe, expect, it } from "vitest";
import { targetOperations } from "../../src/apis/target/operations.ts";
import { nearestRoute } from "../../src/emulator/router.ts";

describe("the nearest route", () => {
  it.each([
    ["GET", "/target", "listTargets"],
    ["POST", "/target", "addTarget"],
    ["GET", "/targets/", "listTargets"],
    ["GET", "//targets", "listTargets"],
    ["GET", "/Targets", "listTargets"],
    ["GET", "/v1/targets", "listTargets"],
    ["GET", "/vws/targets/0123456789abcdef0123456789abcdef", "getTarget"],
    ["GET", "/target/0123456789abcdef0123456789abcdef", "getTarget"],
    ["PUT", "/taget/0123456789abcdef0123456789abcdef", "updateTarget"],
    ["DELETE", "/targets/0123456789abcdef0123456789abcdef/", "deleteTarget"],
    ["GET", "/duplicate/0123456789abcdef0123456789abcdef", "getDuplicates"],
    ["GET", "/sumary", "databaseSummary"],
    ["GET", "/summaries/0123456789abcdef0123456789abcdef", "targetSummary"],
  ])("of %s %s is %s", (method, path, operation) => {
    expect(nearestRoute(targetOperations, { method, path })?.name).toBe(operation);
  });

  it("does not exist without routes", () => {
    expect(nearestRoute([], { method: "GET", path: "/" })).toBeUndefined();
  });

  it("of a very long path is found quickly", () => {
    const path = `/${"a/".repeat(3000)}${"b".repeat(100_000)}`;
    expect(nearestRoute(targetOperations, { method: "GET", path })).toBeDefined();
  });
});
