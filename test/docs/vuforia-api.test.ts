import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useBundle } from "../support/use-bundle.ts";

const script = useBundle("examples/vuforia-api/vuforia-api.ts");

test("the client vuforia-api adds, lists, reads, updates, summarises, deletes and queries targets, unchanged", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script()]);
  expect(stdout.trim().split("\n")).toEqual([
    "list: 2",
    'record: ["success","picture",true]',
    'summary: ["examples","picture"]',
    "duplicates: 1",
    expect.stringMatching(/^deleted: "send the id of a target that is not deleted; the database/),
    'query: "new name"',
    "query with another picture: []",
  ]);
});
