import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { useBundle } from "../../support/use-bundle.ts";

const workflow = useBundle("examples/model-targets/workflow.ts");

it("the workflow example runs: token, create, poll with a moving clock, download, delete", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [workflow()], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const uuid = /create {3}([0-9a-f]{32})\n/.exec(stdout)?.[1];
  expect(stdout.split("\n")).toEqual([
    "token    got one",
    `create   ${uuid}`,
    "poll     2026-11-21T10:42:00.000Z processing, 2026-11-21T11:42:00.000Z",
    "poll     2026-11-21T11:02:00.000Z processing, 2026-11-21T11:42:00.000Z",
    "poll     2026-11-21T11:22:00.000Z processing, 2026-11-21T11:42:00.000Z",
    "poll     2026-11-21T11:42:00.000Z done, 2026-11-21T11:42:00.000Z",
    expect.stringMatching(/^download \d+ bytes: MTDataset\.dat, MTDataset\.xml$/),
    `delete   Error: 404: {"error":{"code":"NOT_FOUND","message":"Could not find a model-view database with uuid ${uuid}","target":"userId:mock"}}`,
    "",
  ]);
});
