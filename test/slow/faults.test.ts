import { MockCloudReco, perfectRater } from "mock-cloud-reco";
import { describe, expect, it, onTestFinished } from "vitest";
import { newTarget } from "../protocol/target/requests.ts";
import { clients, fetchClient, nodeClient } from "../support/clients.ts";
import { scene } from "../support/scenes.ts";
import { signedRequest } from "../support/signed-request.ts";

const listing = (
  mock: MockCloudReco,
  keys: ReturnType<MockCloudReco["addCloudDatabase"]>,
  signal?: AbortSignal,
) => {
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
  const baseUrl = mock.urls.target;
  const request = signedRequest({
    method: "GET",
    path: "/targets",
    baseUrl,
    accessKey,
    secretKey,
    now: new Date(Date.now()),
  });
  return signal === undefined ? request : { ...request, signal };
};

describe("misuse and accidents", () => {
  it.each(Object.entries(clients))(
    "a mock that stops during requests leaves none of them hanging: %s",
    async (_name, client) => {
      const mock = new MockCloudReco({ responseDelaySeconds: 0.02 });
      const keys = mock.addCloudDatabase();
      const pending = Array.from({ length: 20 }, () => client(listing(mock, keys)));
      const settled = Promise.allSettled(pending);
      await new Promise((resolve) => setImmediate(resolve));
      mock.stop();
      for (const outcome of await settled) {
        if (outcome.status === "fulfilled") expect(outcome.value.status).toBe(200);
        else expect(outcome.reason).toBeInstanceOf(Error);
      }
    },
  );

  it.each(Object.entries(clients))("a storm of aborted requests does no harm: %s", async (_name, client) => {
    await using mock = new MockCloudReco({ responseDelaySeconds: 0.5 });
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const keys = mock.addCloudDatabase();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => {
        const controller = new AbortController();
        setImmediate(() => controller.abort());
        return client(listing(mock, keys, index % 2 === 0 ? controller.signal : undefined));
      }),
    );
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(50);
    expect((await client(listing(mock, keys))).status).toBe(200);
    expect(warnings).toEqual([]);
  });

  it("the journal keeps its bound over many requests", async () => {
    await using mock = new MockCloudReco({ journalCapacity: 100 });
    const keys = mock.addCloudDatabase();
    const request = listing(mock, keys);
    for (let sent = 0; sent < 1000; sent += 100) {
      await Promise.all(Array.from({ length: 100 }, () => nodeClient(request)));
    }
    expect([mock.requests.length, mock.droppedRequests, mock.requests.at(-1)?.number]).toEqual([
      100, 900, 1000,
    ]);
  });

  it("matching works when the image cache is much too small", async () => {
    await using mock = new MockCloudReco({
      imageCacheBytes: 1000,
      targetRater: perfectRater,
      processingTimeSeconds: 0,
    });
    const keys = mock.addCloudDatabase();
    const images = await Promise.all([1, 2, 3].map((seed) => scene(seed, 80, 60)));
    for (const [index, image] of images.entries()) await mock.addTarget(keys, { name: String(index), image });
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
    const now = new Date(Date.now());
    const baseUrl = mock.urls.target;
    for (const { targetId } of keys.targets) {
      const path = `/duplicates/${targetId}`;
      const response = await fetchClient(
        signedRequest({ method: "GET", path, baseUrl, accessKey, secretKey, now }),
      );
      expect(JSON.parse(response.body.toString())).toMatchObject({
        result_code: "Success",
        similar_targets: [],
      });
    }
    new MockCloudReco({ imageCacheBytes: 256 * 2 ** 20 }).stop();
  });

  it("200 mocks on hosts of their own run side by side", async () => {
    const mocks = Array.from(
      { length: 200 },
      (_, index) => new MockCloudReco({ targetUrl: `https://vws-${index}.test` }),
    );
    const statuses = await Promise.all(
      mocks.map(async (mock) => {
        const keys = mock.addCloudDatabase();
        const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
        const [baseUrl, now] = [mock.urls.target, new Date(Date.now())];
        const body = newTarget();
        await fetchClient(
          signedRequest({ method: "POST", path: "/targets", baseUrl, accessKey, secretKey, now, body }),
        );
        return keys.targets.length;
      }),
    );
    for (const mock of mocks) mock.stop();
    expect(statuses).toEqual(mocks.map(() => 1));
  });
});
