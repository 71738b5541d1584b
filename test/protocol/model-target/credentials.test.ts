import { expect, it } from "vitest";
import type { ProfileName } from "../../../src/core/profiles.ts";
import { type Api, describeApi, type Received, type Sent } from "./api.ts";
import {
  basic,
  bearer,
  CREDENTIALS,
  expectEmpty,
  expectJson,
  jsonOf,
  textIn,
  tokenRequest,
  validationMessages,
} from "./requests.ts";

const SCOPES = ["modeltargets.all"];

const send = (api: Api, method: string, path: string, body?: unknown, headers = {}): Promise<Received> =>
  api.send({ method, path, headers: { ...bearer(), "Content-Type": "application/json", ...headers }, body });

const create = (api: Api, body: unknown = { scopes: SCOPES }): Promise<Received> =>
  send(api, "POST", CREDENTIALS, body);

const notFound = (id: string) => ({
  error: {
    code: "NOT_FOUND",
    message: `Clientcredential with ID=${id} not found`,
    target: "clientcredential",
  },
});

describeApi("client credentials", (openApi) => {
  it("are created with an id and a secret, and listed without it", async () => {
    await using api = await openApi();
    const received = await create(api, { scopes: [...SCOPES, "any.other"], more: 1 });
    const [id, secret] = [textIn(received, "client_id"), textIn(received, "client_secret")];
    expectJson(received, 201, { client_id: id, client_secret: secret });
    expect(id).toMatch(/^[0-9A-F]{21}$/);
    expect(secret).toMatch(/^[A-Za-z0-9_-]{33}$/);
    expectJson(await send(api, "GET", CREDENTIALS), 200, [
      { clientId: id, scopes: [...SCOPES, "any.other"] },
    ]);
  });

  it("are an empty list at first", async () => {
    await using api = await openApi();
    expectJson(await send(api, "GET", CREDENTIALS), 200, []);
  });

  it("may have no scopes", async () => {
    await using api = await openApi();
    expect((await create(api, { scopes: [] })).status).toBe(201);
  });

  it.each([
    ["no scopes", {}],
    ["null", { scopes: null }],
    ["a string", { scopes: "modeltargets.all" }],
    ["an array with a number", { scopes: ["modeltargets.all", 1] }],
  ])("answer 400 when they are created with %s", async (_name, body) => {
    await using api = await openApi();
    expect(validationMessages(await create(api, body))).toEqual(["/scopes: error.expected.jsarray"]);
    expect((await api.latest()).reason).toContain("scopes must be an array of strings");
  });

  it.each([["null"], ["[]"], ['"scopes"'], ["7"]])("answer 400 for the body %s", async (body) => {
    const required = ["/models", "/name", "/targetSdk"].map((path) => `${path}: element is required`);
    await using api = await openApi();
    expect(validationMessages(await create(api, body))).toEqual(required);
  });

  it("answer 415 for another content type, before the body is read", async () => {
    await using api = await openApi();
    for (const contentType of ["text/plain", ""]) {
      const received = await send(api, "POST", CREDENTIALS, "{", { "Content-Type": contentType });
      const message = "Expecting text/json or application/json body";
      expectJson(received, 415, { error: { code: "ERROR", message } });
    }
  });

  it.each<[ProfileName]>([["neutral"], ["vuforia"]])("answer 400 for invalid JSON (%s)", async (profile) => {
    await using api = await openApi({ profile });
    for (const body of ["{", "", Buffer.from([0x22, 0xff, 0x22]), "\ufeff{}", "[".repeat(5000)]) {
      const received = await create(api, body);
      if (profile === "neutral")
        expect(validationMessages(received)).toEqual([expect.stringMatching(/^Invalid Json: ./)]);
      else
        expect(jsonOf(received)).toEqual({
          error: { code: "ERROR", message: expect.stringMatching(/^Invalid Json: ./) },
        });
      expect(received.status).toBe(400);
    }
  });

  it("are at most 100; the 101st is refused until one is deleted", async () => {
    await using api = await openApi();
    const ids: string[] = [];
    for (let count = 0; count < 100; count += 1) ids.push(textIn(await create(api), "client_id"));
    expect(new Set(ids).size).toBe(100);
    const message = "Maximum number of client credentials reached";
    const full = { error: { code: "CONFLICT", message, target: "clientcredential" } };
    expectJson(await create(api), 409, full);
    expect(validationMessages(await create(api, { scopes: 1 }))).toEqual(["/scopes: error.expected.jsarray"]);
    expectEmpty(await send(api, "DELETE", `${CREDENTIALS}/${ids[50]}`), 204);
    expect((await create(api)).status).toBe(201);
    expectJson(await create(api), 409, full);
  });

  it("can be given other scopes", async () => {
    await using api = await openApi();
    const id = textIn(await create(api), "client_id");
    const changed = { clientId: id, scopes: ["oauth2.clientcredentials.all"] };
    expectJson(await send(api, "PUT", `${CREDENTIALS}/${id}/scopes`, changed.scopes), 200, changed);
    expectJson(await send(api, "GET", CREDENTIALS), 200, [changed]);
  });

  it.each([["{"], [""], ["{}"], ["null"], ["[1]"], [Buffer.from([0x5b, 0xff, 0x5d])]])(
    "keep their scopes for the body %s",
    async (body) => {
      await using api = await openApi();
      const id = textIn(await create(api), "client_id");
      const invalid = { error: { code: "BAD_REQUEST", message: "Invalid scopes", target: "scopes" } };
      expectJson(await send(api, "PUT", `${CREDENTIALS}/${id}/scopes`, body), 400, invalid);
      expectJson(await send(api, "GET", CREDENTIALS), 200, [{ clientId: id, scopes: SCOPES }]);
    },
  );

  it("accept any content type for new scopes", async () => {
    await using api = await openApi();
    const id = textIn(await create(api), "client_id");
    const received = await send(api, "PUT", `${CREDENTIALS}/${id}/scopes`, [], {
      "Content-Type": "text/plain",
    });
    expect(received.status).toBe(200);
  });

  it("answer 404 for an unknown id before the body is read", async () => {
    await using api = await openApi();
    expectJson(await send(api, "PUT", `${CREDENTIALS}/n%C3%B6%20one/scopes`, "{"), 404, notFound("nö one"));
    expectJson(await send(api, "DELETE", `${CREDENTIALS}/client-id`), 404, notFound("client-id"));
  });

  it("get no more tokens after their deletion", async () => {
    await using api = await openApi();
    const created = await create(api);
    const id = textIn(created, "client_id");
    const request: Sent = tokenRequest({ headers: basic(id, textIn(created, "client_secret")) });
    expect((await api.send(request)).status).toBe(200);
    expectEmpty(await send(api, "DELETE", `${CREDENTIALS}/${id}`), 204);
    expectJson(await api.send(request), 401, { error: "invalid_client" });
    expectJson(await send(api, "DELETE", `${CREDENTIALS}/${id}`), 404, notFound(id));
  });
});
