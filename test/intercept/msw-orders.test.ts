import { MockCloudReco } from "mock-cloud-reco";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { expect, test } from "vitest";

const patchedFetch = globalThis.fetch;
const prices = http.get("https://shop.example/prices", () => HttpResponse.json([1]));

/** Two MSW servers (a and b, stopped by A and B) beside the default mode's mock (m and M). */
const ORDERS = [
  "maMA",
  "maAM",
  "amMA",
  "amAM",
  "mMaA",
  "mabMAB",
  "mabBAM",
  "mabABM",
  "ambMAB",
  "abmMAB",
  "abmBAM",
  "ambAMB",
];

// An unhandled rejection of an interceptor that could not be applied again fails the run.
test.each(ORDERS)(
  "in the order %s, fetch is as it was, and the next mock and MSW server answer",
  async (order) => {
    const servers = { a: setupServer(), b: setupServer() };
    let mock: MockCloudReco | undefined;
    for (const step of order) {
      if (step === "m") mock = new MockCloudReco();
      else if (step === "M") mock?.stop();
      else if (step === "a" || step === "b") servers[step].listen({ onUnhandledRequest: "bypass" });
      else servers[step === "A" ? "a" : "b"].close();
    }
    expect(globalThis.fetch).toBe(patchedFetch);

    await using next = new MockCloudReco();
    expect((await fetch(`${next.urls.target}/summary`)).status).toBe(401);
    expect(next.requests).toHaveLength(1);
    const server = setupServer(prices);
    server.listen({ onUnhandledRequest: "bypass" });
    expect(await (await fetch("https://shop.example/prices")).json()).toEqual([1]);
    server.close();
  },
);
