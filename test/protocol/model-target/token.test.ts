import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { describeApi, openDirectly, type Sent } from "./api.ts";
import {
  basic,
  bearer,
  CREDENTIALS,
  EVERY_SCOPE,
  expectJson,
  form,
  jsonOf,
  textIn,
  tokenRequest,
} from "./requests.ts";

const payloadOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

const password = { grant_type: "password", username: "user@example.com", password: "password" };
const byPassword = (fields: Record<string, string> = {}): Partial<Sent> => ({
  headers: {},
  body: form({ ...password, ...fields }),
});

describeApi("POST /oauth2/token", (openApi) => {
  it("issues a token with every scope to the configured client", async () => {
    await using api = await openApi();
    const received = await api.send(tokenRequest());
    const token = textIn(received, "access_token");
    expectJson(received, 200, { access_token: token, token_type: "bearer", expires_in: 3600 });
    const [head = "", , signature] = token.split(".");
    expect(Buffer.from(head, "base64url").toString()).toBe('{"alg":"mock","typ":"JWT"}');
    expect(signature).toMatch(/^[A-Za-z0-9_-]+$/);
    const payload = payloadOf(token);
    expect(Object.keys(Object(payload))).toEqual(["aud", "src", "scope"]);
    expect(payload).toMatchObject({ scope: EVERY_SCOPE });
  });

  it("issues the same token for the same request, in every emulator", async () => {
    const scoped = tokenRequest({ body: form({ scope: "modeltargets.all" }) });
    await using api = await openApi();
    const { body } = await api.send(scoped);
    expect((await api.send(scoped)).body).toEqual(body);
    expect((await openDirectly().send(scoped)).body).toEqual(body);
    expect((await api.send(tokenRequest())).body).not.toEqual(body);
  });

  it.each<[string, Partial<Sent>, string]>([
    [
      "the scopes asked for, sorted and once",
      { body: form({ scope: "oauth2.clientcredentials.all modeltargets.all modeltargets.all" }) },
      "modeltargets.all oauth2.clientcredentials.all",
    ],
    ["all scopes for a blank scope", { body: form({ scope: "  " }) }, EVERY_SCOPE],
    [
      "the default grant for a blank grant_type",
      { body: "grant_type=&scope=modeltargets.all" },
      "modeltargets.all",
    ],
    ["client_credentials by name", { body: form({ grant_type: "client_credentials" }) }, EVERY_SCOPE],
    ["the first of repeated fields", { body: "scope=modeltargets.all&scope=nonsense" }, "modeltargets.all"],
    ["the default grant for a body that is not UTF-8", { body: Buffer.from([0x67, 0xff]) }, EVERY_SCOPE],
    ["a field whose name begins with ? as another field", { body: "?grant_type=nonsense" }, EVERY_SCOPE],
    [
      "any content type",
      { headers: { ...basic("client-id", "client-secret"), "Content-Type": "image/png" } },
      EVERY_SCOPE,
    ],
    ["the password grant", byPassword(), EVERY_SCOPE],
    ["the password grant's scope", byPassword({ scope: "modeltargets.all" }), "modeltargets.all"],
  ])("accepts %s", async (_name, changes, scope) => {
    await using api = await openApi();
    const received = await api.send(tokenRequest(changes));
    expect(received.status).toBe(200);
    expect(payloadOf(textIn(received, "access_token"))).toMatchObject({ scope });
  });

  it("accepts a password with a colon in it, and in any script", async () => {
    await using api = await openApi({ modelTargetClient: { id: "kunde-ä", secret: "a:b:✓" } });
    expect((await api.send(tokenRequest({ headers: basic("kunde-ä", "a:b:✓") }))).status).toBe(200);
    expect((await api.send(tokenRequest())).status).toBe(401);
  });

  it("accepts the configured user instead of the default one", async () => {
    await using api = await openApi({ modelTargetUser: { name: "me", password: "mine" } });
    expect((await api.send(tokenRequest(byPassword({ username: "me", password: "mine" })))).status).toBe(200);
    expect((await api.send(tokenRequest(byPassword()))).status).toBe(401);
  });

  it("grants a created credential only its own scopes", async () => {
    await using api = await openApi();
    const created = await api.send({
      method: "POST",
      path: CREDENTIALS,
      headers: { ...bearer(), "Content-Type": "application/json" },
      body: { scopes: ["modeltargets.standardmodeltarget.all", "modeltargets.advancedmodeltarget.all"] },
    });
    const headers = basic(textIn(created, "client_id"), textIn(created, "client_secret"));
    const token = textIn(await api.send(tokenRequest({ headers })), "access_token");
    expect(payloadOf(token)).toMatchObject({
      scope: "modeltargets.advancedmodeltarget.all modeltargets.standardmodeltarget.all",
    });
    const greedy = tokenRequest({ headers, body: form({ scope: "modeltargets.all" }) });
    expectJson(await api.send(greedy), 400, { error: "invalid_scope" });
    const listing = { method: "GET", path: CREDENTIALS, headers: bearer(token) };
    expect((await api.send(listing)).status).toBe(403);
    const wrong = tokenRequest({ headers: basic(textIn(created, "client_id"), "client-secret") });
    expect(jsonOf(await api.send(wrong))).toEqual({ error: "invalid_client" });
  });

  it("has no limit for header lines", async () => {
    await using api = await openApi();
    const headers = { ...basic("client-id", "client-secret"), "X-Long": "x".repeat(10_000) };
    expect((await api.send(tokenRequest({ headers }))).status).toBe(200);
  });

  it.each<[string, Partial<Sent>]>([
    ["a wrong client secret", { headers: basic("client-id", "s3cr3t-value") }],
    ["a secret in the place of the id", { headers: basic("s3cr3t-value", "client-id") }],
    ["a wrong password", byPassword({ password: "s3cr3t-value" })],
    ["a password in the place of the name", byPassword({ username: "s3cr3t-value" })],
  ])("keeps %s out of the journal", async (_name, changes) => {
    await using api = await openApi();
    expect((await api.send(tokenRequest(changes))).status).toBe(401);
    expect(JSON.stringify(await api.latest())).not.toContain("s3cr3t");
  });
});

/** As the packages openid-client and oauth4webapi do. */
const formEncoded = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[-_.!~*'()]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
const encodedBasic = (id: string, secret: string) => basic(formEncoded(id), formEncoded(secret));

describeApi("a client that form-encodes its id and secret (RFC 6749, section 2.3.1)", (openApi) => {
  const remark =
    "the client form-encoded its id and its secret, as RFC 6749 asks; nobody has observed whether the real service decodes them";

  it.each(["neutral", "vuforia"] as const)("gets a token under %s, with a remark", async (profile) => {
    await using api = await openApi({ profile });
    const headers = encodedBasic("client-id", "client-secret");
    expect(headers).toEqual(basic("client%2Did", "client%2Dsecret"));
    const received = await api.send(tokenRequest({ headers }));
    expect(received.status).toBe(200);
    expect(payloadOf(textIn(received, "access_token"))).toMatchObject({ src: "client-id" });
    expect(await api.latest()).toMatchObject({ reason: remark });
    expect((await api.send(tokenRequest())).body).toEqual(received.body);
    expect((await api.latest())?.reason ?? null).toBeNull();
  });

  it.each([
    ["a colon, a space, a plus and a percent sign", "a:b c+%d", "e:f g+%h", false],
    ["escapes of its own", "100%25", "s%2Dt+u", true],
    ["a malformed escape", "100%", "%zz%", true],
    ["any script", "kunde-ä", "✓-ß", true],
  ])("may have an id and a secret with %s, sent in either form", async (_what, id, secret, isSentRaw) => {
    await using api = await openApi({ modelTargetClient: { id, secret } });
    expect((await api.send(tokenRequest({ headers: encodedBasic(id, secret) }))).status).toBe(200);
    expect(await api.latest()).toMatchObject({ reason: remark });
    if (!isSentRaw) return;
    expect((await api.send(tokenRequest({ headers: basic(id, secret) }))).status).toBe(200);
    expect((await api.latest())?.reason ?? null).toBeNull();
  });

  it.each([
    ["a wrong secret", encodedBasic("client-id", "wrong-secret"), 'is wrong for the client "client-id"'],
    [
      "id and secret swapped",
      encodedBasic("client-secret", "client-id"),
      "swap the client id and the client secret",
    ],
    [
      "an unknown id",
      encodedBasic("other-id", "client-secret"),
      'no client has the id "other%2Did", which decoded is "other-id"',
    ],
    ["id and secret encoded twice", basic("client%252Did", "client%252Dsecret"), "no client has the id"],
  ])("is refused with %s", async (_what, headers, reason) => {
    await using api = await openApi();
    expectJson(await api.send(tokenRequest({ headers })), 401, { error: "invalid_client" });
    expect((await api.latest())?.reason).toContain(reason);
  });
});

describe("a created client whose id", () => {
  it("has a hyphen belongs to its database in either form, in the journal and for faults", async () => {
    await using mock = new MockCloudReco();
    const { databaseName } = mock.addCloudDatabase();
    mock.addCredential({ clientId: "ci-1", clientSecret: "s-1", scopes: ["modeltargets.all"], databaseName });
    const ask = async (headers: Record<string, string>) =>
      (await mock.fetch(`${mock.urls.modelTarget}/oauth2/token`, { method: "POST", headers })).status;
    for (const headers of [basic("ci-1", "s-1"), encodedBasic("ci-1", "s-1")]) {
      expect(await ask(headers)).toBe(200);
      expect(mock.requests.at(-1)).toMatchObject({ database: databaseName });
      mock.addFault({ database: databaseName, operation: "token", response: { status: 503 }, times: 1 });
      expect(await ask(headers)).toBe(503);
    }
  });

  it("has an escape is found by the id as it was sent first", async () => {
    await using mock = new MockCloudReco();
    const scopes = ["modeltargets.all"];
    mock.addCredential({ clientId: "client%2Did", clientSecret: "client-secret", scopes });
    const headers = basic("client%2Did", "client-secret");
    const url = `${mock.urls.modelTarget}/oauth2/token`;
    const response = await mock.fetch(url, { method: "POST", headers });
    const { access_token: token } = JSON.parse(await response.text());
    expect(payloadOf(token)).toMatchObject({ src: "client%2Did", scope: "modeltargets.all" });
  });
});

describeApi("a token request in JSON", (openApi) => {
  const body = JSON.stringify(password);
  it.each([
    ["by its content type", { headers: { "Content-Type": "application/json; charset=utf-8" }, body }],
    ["by its body", { headers: {}, body }],
  ])("is refused %s, with a reason that names the content type of a form", async (_how, changes) => {
    await using api = await openApi();
    const received = await api.send(tokenRequest(changes));
    expect(received.status).toBe(401);
    expect(jsonOf(received)).toMatchObject({ error: "invalid_request" });
    expect((await api.latest())?.reason).toContain(
      "the body is JSON, but this route reads a form (application/x-www-form-urlencoded)",
    );
  });
});

describeApi("a token request with the client's secret in the form", (openApi) => {
  it("is refused, with a reason that names HTTP Basic", async () => {
    await using api = await openApi();
    const body = form({
      grant_type: "client_credentials",
      client_id: "client-id",
      client_secret: "client-secret",
    });
    expect((await api.send(tokenRequest({ headers: {}, body }))).status).toBe(401);
    expect((await api.latest())?.reason).toContain(
      "this route does not read the form's client_secret: use HTTP Basic (client_secret_basic)",
    );
  });
});

describe("Content-Length of a token request", () => {
  it("may be any integer", async () => {
    const headers = { ...basic("client-id", "client-secret"), "Content-Length": "7" };
    expect((await openDirectly().send(tokenRequest({ headers }))).status).toBe(200);
  });

  it("is checked before anything else", async () => {
    await using api = openDirectly();
    const received = await api.send(
      tokenRequest({ headers: { "Content-Length": "x" }, body: "grant_type=x" }),
    );
    expect(received.status).toBe(400);
    expect(received.headers).toContainEqual(["Server", "awselb/2.0"]);
    expect(received.body.toString()).toContain("<center><h1>400 Bad Request</h1></center>\r\n");
  });
});
