import { MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";
import { opened, other, type Shop } from "./shop.ts";

/** Uses a database in every way that could lag. */
async function use(shop: Shop): Promise<void> {
  const [id, twin] = [await shop.add("poster"), await shop.add("twin")];
  await shop.list();
  await shop.get(id);
  await shop.update(id, { image: other.toString("base64"), active_flag: false });
  await shop.summaryOf(id);
  await shop.duplicatesOf(twin);
  await shop.find();
  await shop.delete(twin);
  await shop.find();
  await shop.summary();
  await shop.get("unknown");
}

async function journalWith(options: MockCloudRecoOptions): Promise<unknown> {
  const { mock, shop } = opened({ seed: 1, requestsPerSecondLimit: 9, ...options });
  await use(shop);
  return JSON.parse(JSON.stringify(mock.page.report().requests), (key, value) =>
    key === "durationMs" ? undefined : value,
  );
}

describe("the option realism", () => {
  const consistent: Required<MockCloudRecoOptions>["realism"][] = [
    false,
    {},
    { visibilityLagSeconds: 0, deletionLagSeconds: 0, summaryLagSeconds: 0 },
    { looseLimits: 0, gatewayErrorRate: 0 },
  ];

  it.each(consistent.map((realism) => ({ realism })))(
    "changes nothing with $realism, entry for entry",
    async (options) => {
      expect(await journalWith(options)).toEqual(await journalWith({}));
    },
  );

  it("lets every answer be the same in which no lag is left, byte for byte", async () => {
    const { visible, lagging } = {
      visible: opened({ seed: 1 }),
      lagging: opened({ seed: 1, realism: true }),
    };
    const bodies = async ({ mock, shop, clock }: typeof visible) => {
      const ids = [await shop.add("poster"), await shop.add("twin", other)];
      clock.advance(120);
      for (const id of ids) await shop.get(id);
      await shop.find();
      await shop.summary();
      return mock.requests.map(({ status, response }) => [status, String(response?.body)]);
    };
    expect(await bodies(lagging)).toEqual(await bodies(visible));
  });

  it.each([
    [1, "options.realism: expected true, false, or an object with visibilityLagSeconds,"],
    [
      { visibilityLagSeconds: -1 },
      "options.realism.visibilityLagSeconds: expected a number of seconds, 0 or more; got -1",
    ],
    [{ looseLimits: 2 }, "options.realism.looseLimits: expected a number from 0 to 1; got 2"],
    [
      { gatewayErrorRate: "often" },
      'options.realism.gatewayErrorRate: expected a number from 0 to 1; got "often"',
    ],
    [{ deletionLag: 1 }, "options.realism.deletionLag: expected deletionLagSeconds; got an unknown name"],
  ])("refuses %j", async (realism, message) => {
    const wrong: object = { realism };
    expect(() => new MockCloudReco(wrong)).toThrow(message);
    await expect(startServers(wrong)).rejects.toThrow(message);
  });
});
