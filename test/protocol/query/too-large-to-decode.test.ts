import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { claiming } from "../../support/claimed-size.ts";
import { goodPlan, imagePart } from "../../support/query-plan.ts";
import { decoded, sendPlan } from "./send.ts";

describeBackends("a progressive JPEG above 100 megapixels", (backend) => {
  it("is answered without matches, and the journal says why", async () => {
    await using service = await backend.open();
    const keys = await service.addCloudDatabase();
    const plan = { ...goodPlan(service.clock.now()), parts: [imagePart(await claiming(10_001, 10_000))] };
    const response = await sendPlan(service, keys, plan);
    expect([response.status, JSON.parse(decoded(response)).results]).toEqual([200, []]);
    expect((await service.latest()).reason).toBe(
      "scale the picture down: a progressive JPEG of 10001x10000 pixels takes too much memory, because it is decoded as a whole; expected at most " +
        "100000000 pixels",
    );
  });
});
