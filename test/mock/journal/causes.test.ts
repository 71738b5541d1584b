import { inspect } from "node:util";
import { MockCloudReco } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import "mock-cloud-reco/vitest";
import { describe, expect, it } from "vitest";
import { start } from "../../cli/command.ts";
import { MockSession } from "../../support/mock-session.ts";

async function opened() {
  const mock = new MockCloudReco();
  const session = new MockSession(mock, mock.addCloudDatabase({ databaseName: "shop" }));
  return { mock, session, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

const SKEWED = { method: "GET", path: "/targets", date: "Sat, 01 Jan 2000 00:00:00 GMT" } as const;

describe("a cause", () => {
  it("is a code with the facts that its sentence names", async () => {
    await using service = await opened();
    await service.session.target(SKEWED);
    const entry = service.mock.requests.at(-1);
    expect(entry?.cause).toEqual({
      kind: "refusal",
      code: "date.skewed",
      given: '"Sat, 01 Jan 2000 00:00:00 GMT"',
      clock: expect.stringMatching(/ GMT$/),
      allowed: "5 minutes",
    });
    if (entry?.cause?.code === "date.skewed") expect(entry.reason).toContain(entry.cause.given);
    expect(JSON.parse(JSON.stringify(entry))).toMatchObject({ cause: entry?.cause, reason: entry?.reason });
    expect(structuredClone(entry?.cause)).toEqual(entry?.cause);
  });

  it("is printed with its sentence", async () => {
    await using service = await opened();
    await service.session.target(SKEWED);
    const [entry] = service.mock.requests;
    expect(inspect(entry, { breakLength: Number.POSITIVE_INFINITY })).toContain(
      `reason: ${inspect(entry?.reason)}`,
    );
    expect(inspect([entry], { depth: 0 })).toBe("[ [Object] ]");
    expect({ ...entry }).toEqual(entry);
  });

  it("lists further mistakes", async () => {
    await using service = await opened();
    const { mock, session } = service;
    await session.add({ application_metadata: "YWJj\nYWJj" });
    mock.addFault({ delaySeconds: 0.001 });
    await session.add({ name: "other", application_metadata: "YWJj\nYWJj" });
    expect(
      mock.requests.map(({ cause }) => [cause?.kind, cause?.code, cause?.also?.map(({ code }) => code)]),
    ).toEqual([
      ["remark", "base64.lines", undefined],
      ["fault", "fault.delayed", ["base64.lines"]],
    ]);
    expect(mock.requestsOf({ cause: "base64.lines" })).toHaveLength(2);
  });

  it("contains no secret", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const { clientSecretKey, serverSecretKey } = session.database;
    await session.target({ method: "GET", path: "/targets", secretKey: clientSecretKey });
    await session.target({ method: "GET", path: "/targets", accessKey: serverSecretKey });
    expect(mock.requests.map(({ cause }) => cause?.code)).toEqual(["signature.other-key", "key.swapped"]);
    const all = JSON.stringify(mock.requests.map(({ cause, reason }) => [cause, reason]));
    for (const secret of [clientSecretKey, serverSecretKey]) expect(all).not.toContain(secret);
  });

  it("filters requests, also in expectations and matchers", async () => {
    await using service = await opened();
    const { mock, session } = service;
    mock.expectRefusal({ cause: "date.skewed" });
    await session.target(SKEWED);
    await session.target({ method: "GET", path: "/targets" });
    expect(mock.requestsOf({ cause: "date.skewed" })).toHaveLength(1);
    expect(mock).toHaveReceived({ cause: "date.skewed" }, { times: 1 });
    expect(mock).not.toHaveReceived({ cause: "date.missing" });
    expect(mock).toHaveRefusedNothing();
    expect(() => mock.requestsOf({ cause: "date.skew" as "date.skewed" })).toThrow(
      'Invalid filter.cause: expected date.skewed; got "date.skew".',
    );
    expect(() => mock.requestsOf({ cause: "x" as "date.skewed" })).toThrow(
      'expected the code of a cause, such as "date.skewed"',
    );
  });

  it("is in the manager's list", async () => {
    await using servers = await startServers();
    const { serverAccessKey } = servers.addCloudDatabase();
    const headers = { Authorization: `VWS ${serverAccessKey}:wrong` };
    await fetch(`${servers.urls.target}/targets`, { headers });
    const response = await fetch(`${servers.urls.manager}/requests`);
    expect(await response.json()).toMatchObject({
      requests: [{ cause: { kind: "refusal", code: expect.stringMatching(/^signature\./) } }],
    });
  });
});

describe("npx mock-cloud-reco explain", () => {
  const explain = async (...args: readonly string[]) => (await start(["explain", ...args]).finished).printed;

  it("prints what a code means, and what to change", async () => {
    const printed = await explain("date.skewed");
    expect(printed).toMatch(
      /^date\.skewed\n\nThe Date header is too far from .*\nCorrect the client's clock/,
    );
    expect(printed).toMatch(/\nFor example:\n {2}GET \/targets\n {2}Date: Sat, 01 Jan 2000 /);
  });

  it("lists all codes, and suggests one for another text", async () => {
    expect(await explain()).toMatch(/\n {2}signature\.other-key +Another key signed/);
    expect(await start(["explain", "date.skew"]).finished).toMatchObject({
      code: 2,
      complained: expect.stringContaining("did you mean date.skewed?"),
    });
  });
});
