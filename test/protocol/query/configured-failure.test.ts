import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { fetchClient, nodeClient } from "../../support/clients.ts";
import { goodPlan } from "../../support/query-plan.ts";
import { sendPlan } from "./send.ts";

describe("the configured failure", () => {
  test.each([
    ["a text", "käputt", Buffer.from("käputt")],
    ["bytes", new Uint8Array([0, 255, 13]), Buffer.from([0, 255, 13])],
    ["no body", undefined, Buffer.alloc(0)],
  ])("with %s is sent exactly as configured, before any check", async (_, body, sent) => {
    const headers = { "x-CASE": "1", "content-type": "text/plain", "Content-Length": String(sent.length) };
    const failure = { status: 503, headers, ...(body !== undefined && { body }) };
    await using mock = new MockCloudReco({ cloudQueryFailure: failure });
    const keys = mock.addCloudDatabase();
    const good = goodPlan(new Date());
    const bad = { ...good, authorization: undefined, headers: { "X-Extra": "x".repeat(9000) } };
    for (const plan of [good, bad]) {
      const response = await sendPlan(mock, keys, plan, nodeClient);
      expect(response.rawHeaders).toEqual(Object.entries(headers));
      expect([response.status, response.body]).toEqual([503, sent]);
      expect((await sendPlan(mock, keys, plan, fetchClient)).body).toEqual(sent);
      expect(mock.requests.at(-1)).toMatchObject({
        operation: "query",
        status: 503,
        fault: "cloudQueryFailure",
      });
    }
  });
});
