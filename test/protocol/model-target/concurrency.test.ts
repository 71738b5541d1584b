import { expect, it } from "vitest";
import { describeApi, type Received } from "./api.ts";
import { bearer, CREDENTIALS, createdUuid, creation, get, jsonOf, STANDARD, textIn } from "./requests.ts";

const statuses = (received: readonly Received[]): number[] => received.map(({ status }) => status).sort();

const newCredential = creation({ scopes: [] }, { path: CREDENTIALS });

describeApi("requests at the same time", (openApi) => {
  it("never create more than 100 credentials", async () => {
    await using api = await openApi();
    const received = await Promise.all(Array.from({ length: 110 }, () => api.send(newCredential)));
    expect(received.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(received.filter(({ status }) => status === 409)).toHaveLength(10);
    expect(jsonOf(await get(api, CREDENTIALS))).toHaveLength(100);
  });

  it("delete a credential once", async () => {
    await using api = await openApi();
    const path = `${CREDENTIALS}/${textIn(await api.send(newCredential), "client_id")}`;
    const remove = { method: "DELETE", path, headers: bearer() };
    expect(statuses(await Promise.all([api.send(remove), api.send(remove)]))).toEqual([204, 404]);
  });

  it("delete a dataset once", async () => {
    await using api = await openApi();
    const remove = { method: "DELETE", path: `${STANDARD}/${await createdUuid(api)}`, headers: bearer() };
    expect(statuses(await Promise.all([api.send(remove), api.send(remove)]))).toEqual([200, 404]);
  });
});
