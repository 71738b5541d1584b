import { expect, it } from "vitest";
import { type Api, describeApi, type Received } from "./api.ts";
import { bearer, CREDENTIALS, expectEmpty, expectJson, textIn, validationMessages } from "./requests.ts";

/** No character that clients form-encode in HTTP Basic. */
const SECRET = /^[A-Za-z0-9]{33}$/;
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
    expect(secret).toMatch(SECRET);
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

  it("are at most 100; the 101st is refused until one is deleted", async () => {
    await using api = await openApi();
    const ids: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      const received = await create(api);
      ids.push(textIn(received, "client_id"));
      expect(textIn(received, "client_secret")).toMatch(SECRET);
    }
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

  it("keep their scopes when the new ones are refused", async () => {
    await using api = await openApi();
    const id = textIn(await create(api), "client_id");
    expect((await send(api, "PUT", `${CREDENTIALS}/${id}/scopes`, "[1]")).status).toBe(400);
    expectJson(await send(api, "GET", CREDENTIALS), 200, [{ clientId: id, scopes: SCOPES }]);
  });

  it("answer 404 with the id percent-decoded", async () => {
    await using api = await openApi();
    expectJson(await send(api, "PUT", `${CREDENTIALS}/n%C3%B6%20one/scopes`, "{"), 404, notFound("nö one"));
  });
});
