import { describe, expect, it } from "vitest";
import { describeApi, openDirectly } from "./api.ts";
import { ADVANCED, bearer, CREDENTIALS, part, STANDARD, tokenFor } from "./requests.ts";

const head = part({ alg: "mock" });

const ROUTES: [method: string, path: string, scopes: string[]][] = [
  ["POST", CREDENTIALS, ["oauth2.clientcredentials.all"]],
  ["GET", CREDENTIALS, ["oauth2.clientcredentials.all"]],
  ["PUT", `${CREDENTIALS}/x/scopes`, ["oauth2.clientcredentials.all"]],
  ["DELETE", `${CREDENTIALS}/x`, ["oauth2.clientcredentials.all"]],
  ...[STANDARD, ADVANCED].flatMap((path): [string, string, string[]][] => {
    const own =
      path === STANDARD ? "modeltargets.standardmodeltarget.all" : "modeltargets.advancedmodeltarget.all";
    const scopes = [own, "modeltargets.all"];
    return [
      ["POST", path, scopes],
      ["GET", `${path}/x/status`, scopes],
      ["GET", `${path}/x/dataset`, scopes],
      ["DELETE", `${path}/x`, scopes],
    ];
  }),
];

describeApi("the bearer check", (openApi) => {
  it.each(ROUTES)("is needed for %s %s, with its scopes", async (method, path, accepted) => {
    await using api = await openApi();
    const statusWith = async (headers: Record<string, string>) =>
      (await api.send({ method, path, headers })).status;
    expect(await statusWith({})).toBe(401);
    for (const scope of accepted) {
      expect(await statusWith(bearer(tokenFor(scope)))).not.toBe(403);
      expect(await statusWith(bearer(tokenFor(`other ${scope}`)))).not.toBe(403);
      expect(await statusWith(bearer(tokenFor(`${scope}s`)))).toBe(403);
    }
    const others = [
      "modeltargets.statebasedmodeltarget.all",
      "modeltargets.advancedstatebasedmodeltarget.all",
    ];
    expect(await statusWith(bearer(tokenFor(others.join(" "))))).toBe(403);
  });

  it.each([
    ["lacks the scope", { scope: "oauth2.clientcredentials.all" }],
    ["has no scope", {}],
    ["has a scope that is not a string", { scope: ["modeltargets.all"] }],
  ])("answers 403 with text to a token that %s", async (_name, claims) => {
    await using api = await openApi();
    const headers = bearer(`${head}.${part(claims)}.c2ln`);
    const received = await api.send({ method: "POST", path: STANDARD, headers });
    const text = "User does not have the required scopes to perform this action";
    expect(received).toEqual({
      status: 403,
      headers: [
        ["Content-Type", "text/plain"],
        ["Content-Length", String(text.length)],
      ],
      body: Buffer.from(text),
    });
  });

  it("keeps tokens out of the journal", async () => {
    await using api = await openApi();
    await api.send({ method: "GET", path: CREDENTIALS, headers: bearer("s3cr3t.token") });
    expect(JSON.stringify(await api.latest())).not.toContain("s3cr3t");
  });
});

describe("the bearer check", () => {
  it("comes after Content-Length on dataset routes, and instead of it on credential routes", async () => {
    await using api = openDirectly();
    const headers = { "Content-Length": "1.5" };
    for (const [method, path] of ROUTES) {
      const { status } = await api.send({ method, path, headers });
      expect(status, `${method} ${path}`).toBe(path.startsWith(CREDENTIALS) ? 401 : 400);
    }
  });
});
