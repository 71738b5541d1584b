import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { type Opened, opened } from "./shop.ts";

/** Asks for a token of the Model Target API. Returns the status, and the page if the load balancer answered. */
async function token({ mock }: Opened): Promise<string> {
  const client = Buffer.from("client-id:client-secret").toString("base64");
  const response = await mock
    .fetch(`${mock.urls.modelTarget}/oauth2/token`, {
      method: "POST",
      headers: { Authorization: `Basic ${client}`, "Content-Type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials",
    })
    .catch(() => undefined);
  if (response === undefined) return "no response";
  const body = await response.text();
  return response.status === 200 ? "200" : `${response.status} ${response.headers.get("server")} ${body}`;
}

async function tokens(options: MockCloudRecoOptions, count: number): Promise<string[]> {
  const all = opened(options);
  const answers: string[] = [];
  for (let asked = 0; asked < count; asked += 1) answers.push(await token(all));
  return answers;
}

const page = (title: string) =>
  [
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n`,
    `<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
  ].join("");

describe("Model Target requests", () => {
  it("get 502, 503, 504 or no response from the load balancer, and are not executed", async () => {
    const answers = new Set(await tokens({ seed: 1, realism: { gatewayErrorRate: 1 } }, 40));
    expect([...answers].sort()).toEqual([
      ...["502 Bad Gateway", "503 Service Temporarily Unavailable", "504 Gateway Time-out"].map(
        (title) => `${title.slice(0, 3)} awselb/2.0 ${page(title)}`,
      ),
      "no response",
    ]);
  });

  it("fail as often as the option says, in an order that the seed decides", async () => {
    const half: MockCloudRecoOptions = { seed: "a", realism: { gatewayErrorRate: 0.5 } };
    const answers = await tokens(half, 40);
    const served = answers.filter((answer) => answer === "200").length;
    expect([served > 5, served < 35]).toEqual([true, true]);
    expect(await tokens(half, 40)).toEqual(answers);
    expect(await tokens({ ...half, seed: "b" }, 40)).not.toEqual(answers);
  });

  it("say in the journal what happened, and are no refusals", async () => {
    const all = opened({ seed: 1, realism: { gatewayErrorRate: 1 } });
    await token(all);
    expect(all.mock.requests[0]).toMatchObject({
      operation: "token",
      fault: "realism",
      reason: expect.stringMatching(/, and the request was not executed: send it again \(realism\)$/),
    });
    expect(all.mock.requestsOf({ refused: true })).toEqual([]);
  });

  it("get the faults of the test first", async () => {
    const all = opened({ seed: 1, realism: { gatewayErrorRate: 1 } });
    all.mock.addFault({ operation: "token", delaySeconds: 0, response: { status: 418 } });
    expect(await token(all)).toMatch(/^418 /);
  });

  it("are the only ones that fail", async () => {
    const { shop, mock } = opened({ realism: { gatewayErrorRate: 1 } });
    await shop.add("poster");
    await shop.find();
    await mock.fetch(`${mock.urls.manager}/requests`);
    expect(mock.requests.map(({ status }) => status)).toEqual([201, 200, 200]);
  });
});

describe("rate limits", () => {
  const statuses = async (options: MockCloudRecoOptions, count = 40): Promise<Opened> => {
    const all = opened({ seed: 1, requestsPerSecondLimit: 15, ...options });
    for (let sent = 0; sent < count; sent += 1) await all.shop.summary();
    return all;
  };
  const accepted = ({ mock }: Opened): number => mock.requests.filter(({ status }) => status === 200).length;

  it("let some requests pass that are too many, as 17 to 37 of 40 were observed to", async () => {
    const all = await statuses({ realism: true });
    expect(accepted(all)).toBeGreaterThanOrEqual(17);
    expect(accepted(all)).toBeLessThanOrEqual(37);
    const { reason } = all.mock.requests.find(({ status, reason }) => status === 200 && reason) ?? {};
    expect(reason).toBe(
      "requestsPerSecondLimit allows 15 requests in 1 s, and all are used; " +
        "this one is accepted all the same (realism)",
    );
  });

  it("are exact without it, or never hold", async () => {
    expect(accepted(await statuses({}))).toBe(15);
    expect(accepted(await statuses({ realism: { visibilityLagSeconds: 1 } }))).toBe(15);
    expect(accepted(await statuses({ realism: { looseLimits: 1 } }))).toBe(40);
  });

  it("are drawn from a source of their own, so that ids stay the same", async () => {
    const ids = async (options: MockCloudRecoOptions) => {
      const all = await statuses(options, 30);
      all.clock.advance(1);
      return [all.database.serverAccessKey, await all.shop.add("poster")];
    };
    expect(await ids({ realism: { looseLimits: 1e-6 } })).toEqual(await ids({}));
  });
});
