import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { goodPlan } from "./plan.ts";
import { sendPlan } from "./send.ts";

describeBackends("the Accept header of a query", (backend) => {
  it.each([
    "application/json",
    "*/*",
    "application/json, text/plain, */*",
    "application/json; charset=utf-8",
    "application/*",
    "Application/Json",
    "text/html;q=0.9, */*;q=0.1",
    "*/*;q=0, application/json",
    undefined,
  ])("may be %j", async (accept) => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const plan = goodPlan(service.clock.now());
    plan.accept = accept;
    expect((await sendPlan(service, keys, plan, nodeClient)).status).toBe(200);
  });
});
