import { describe, expect, it } from "vitest";
import { describeApi, openDirectly } from "./api.ts";
import { ADVANCED, bearer, CREDENTIALS, expectJson, part, STANDARD, tokenFor } from "./requests.ts";

const head = part({ alg: "mock" });
const payload = part({ scope: "modeltargets.all" });
const encoded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");

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

const badHeader = "Invalid unsecured/JWS/JWE header: Invalid JSON object";
const badPayload = "Payload of JWS object is not a valid JSON object";
const badSignature = "Signed JWT rejected: Invalid signature";
const noDots = "Invalid JWT serialization: Missing dot delimiter(s)";

describeApi("the bearer check", (openApi) => {
  it.each<[string, Record<string, string>, string]>([
    ["no Authorization", {}, "no Bearer token"],
    ["another scheme", { Authorization: `bearer ${tokenFor("modeltargets.all")}` }, "no Bearer token"],
    ["an empty token", { Authorization: "Bearer " }, "no Bearer token"],
    ["a scheme only", { Authorization: "Bearer" }, "no Bearer token"],
    ["no dot", bearer("abc"), noDots],
    ["one dot", bearer(`${head}.${payload}`), noDots],
    ["three dots", bearer(`${head}.${payload}.c2ln.c2ln`), noDots],
    ["a header of no base64url", bearer(`a+b.${payload}.c2ln`), badHeader],
    [
      "a padded header",
      bearer(`${Buffer.from('{"alg":"x"} ').toString("base64")}==.${payload}.c2ln`),
      badHeader,
    ],
    ["a header of an impossible length", bearer(`${head}AAAAA.${payload}.c2ln`), badHeader],
    ["an empty header", bearer(`.${payload}.c2ln`), badHeader],
    ["a header of no JSON", bearer(`${encoded("alg")}.${payload}.c2ln`), badHeader],
    [
      "a header that is not UTF-8",
      bearer(`${encoded(Buffer.from([0x22, 0xff, 0x22]))}.${payload}.c2ln`),
      badHeader,
    ],
    ["a header that is an array", bearer(`${part(["alg"])}.${payload}.c2ln`), badHeader],
    ["a wrong header before a wrong payload", bearer("x.x."), badHeader],
    [
      "a header without alg",
      bearer(`${part({ typ: "JWT" })}.${payload}.c2ln`),
      'Missing "alg" in header JSON object',
    ],
    [
      "alg none",
      bearer(`${part({ alg: "none" })}.${payload}.c2ln`),
      "Unsecured (plain) JWTs are rejected, extend class to handle",
    ],
    [
      "alg none before a wrong payload",
      bearer(`${part({ alg: "none" })}.x.`),
      "Unsecured (plain) JWTs are rejected, extend class to handle",
    ],
    ["a payload of no base64url", bearer(`${head}.${payload}=.c2ln`), badPayload],
    ["a payload that is null", bearer(`${head}.${part(null)}.c2ln`), badPayload],
    ["an empty payload", bearer(`${head}..c2ln`), badPayload],
    ["a wrong payload before an empty signature", bearer(`${head}.x.`), badPayload],
    ["an empty signature", bearer(`${head}.${payload}.`), "The signature must not be empty"],
    ["a signature of no base64url", bearer(`${head}.${payload}.c2l/`), badSignature],
    ["a signature of an impossible length", bearer(`${head}.${payload}.c2lnA`), badSignature],
  ])("refuses %s", async (_name, headers, message) => {
    await using api = await openApi();
    const content = { error: { code: "401", message, target: "jwt" } };
    expectJson(await api.send({ method: "GET", path: `${STANDARD}/x/status`, headers }), 401, content);
    expect(await api.latest()).toMatchObject({
      refusedBy: "bearerToken",
      reason: expect.stringMatching(/bearer/i),
    });
  });

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
