import { brisqueRater, MockCloudReco, type MockCloudRecoOptions, type TargetRater } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { messagesOf } from "../intercept/failures.ts";
import { type Client, clients, fetchBy, nodeClient } from "../support/clients.ts";
import { makePng, noiseByte } from "../support/png.ts";
import { signedRequest } from "../support/signed-request.ts";

/** A rater whose first rating a test ends. */
function gatedRater() {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end = (_rating: number) => {};
  let fail = (_error: Error) => {};
  const first = new Promise<number>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  let calls = 0;
  const targetRater: TargetRater = () => {
    calls += 1;
    begin();
    return calls === 1 ? first : 5;
  };
  return { targetRater, begun, end, fail };
}

function open(options: MockCloudRecoOptions) {
  const mock = new MockCloudReco(options);
  const keys = mock.addCloudDatabase();
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
  const picture = (number: number) =>
    makePng({ width: 300, height: 200, fill: (at) => noiseByte(at + number) });
  let pictures = 0;
  return {
    mock,
    names: () => keys.targets.map(({ name }) => name).sort(),
    /** A request that adds a picture of its own. */
    add: (name: string) => {
      pictures += 1;
      const body = { name, width: 1, image: picture(pictures).toString("base64") };
      const { clock, urls } = mock;
      return signedRequest({
        ...{ method: "POST", baseUrl: urls.target, path: "/targets", now: clock.now() },
        ...{ accessKey, secretKey, body },
      });
    },
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

// Vitest fails a run with an unhandled rejection.
describe.each(Object.entries(clients))("%s, whose addition is being rated,", (_, client: Client) => {
  test.each([
    ["has its target all the same", ["given up", "next"]],
    ["has no target when the rater fails", ["next"]],
  ])("gives up: it %s, and the next request works", async (what, names) => {
    const { targetRater, begun, end, fail } = gatedRater();
    await using service = open({ targetRater });
    const abort = new AbortController();
    const aborted = client({ ...service.add("given up"), signal: abort.signal }).catch(
      (error: unknown) => error,
    );
    await begun;
    abort.abort();
    expect(await aborted).toMatchObject({ name: expect.stringMatching(/^(AbortError|CanceledError)$/) });
    if (what.includes("fails")) fail(new Error("too late"));
    else end(5);
    expect((await client(service.add("next"))).status).toBe(201);
    expect(service.names()).toEqual(names);
  });
});

describe("an addition that is being rated when the mock stops", () => {
  const ways: readonly [string, MockCloudRecoOptions, (mock: MockCloudReco) => Client][] = [
    ["nock", { intercept: "nock" }, () => nodeClient],
    ["sockets", { intercept: "sockets" }, () => nodeClient],
    ["mock.fetch", { intercept: false }, (mock) => fetchBy((url, init) => mock.fetch(url, init))],
  ];

  test.each(ways)("is answered: %s", async (_, options, clientOf) => {
    const { targetRater, begun, end } = gatedRater();
    await using service = open({ ...options, targetRater });
    const answer = clientOf(service.mock)(service.add("poster"));
    await begun;
    service.mock.stop();
    end(5);
    expect((await answer).status).toBe(201);
    expect(service.names()).toEqual(["poster"]);
  });

  test.each(ways)("fails with the rater's error: %s", async (_, options, clientOf) => {
    const { targetRater, begun, fail } = gatedRater();
    await using service = open({ ...options, targetRater });
    const failure = clientOf(service.mock)(service.add("poster")).catch((error: unknown) => error);
    await begun;
    service.mock.stop();
    fail(new Error("the rater's own"));
    expect(messagesOf(await failure)).toContain("the rater's own");
  });

  test.each(ways)(
    "is settled at whatever turn of the event loop that is: %s",
    async (_, options, clientOf) => {
      const outcomes = new Set<string>();
      for (let turns = 0; turns <= 40; turns += 4) {
        await using service = open({ ...options, targetRater: brisqueRater });
        const settled = clientOf(service.mock)(service.add("poster")).then(
          ({ status }) => `${status}, targets: ${service.names().length}`,
          (error: unknown) => `${/the mock was stopped/.exec(messagesOf(error).join())?.[0]}`,
        );
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        service.mock.stop();
        outcomes.add(await settled);
      }
      expect(["201, targets: 1", "the mock was stopped"]).toEqual(expect.arrayContaining([...outcomes]));
    },
  );
});
