import { beforeEach, describe, expect, test } from "vitest";
import { header, type WireRequest, type WireResponse } from "../../src/emulator/message.ts";
import { toText } from "../../src/store/codec.ts";
import { ManagerClient } from "../../src/store/manager/manager-client.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import { cloud } from "./contract-cases.ts";

const records = (etag: string, requestQuota: number, since?: number): WireResponse => ({
  status: 200,
  headers: [["ETag", `"${etag}"`]],
  body: Buffer.from(
    toText({
      ...(since !== undefined && { since }),
      changes: [{ kind: "database", key: "", record: cloud({ databaseName: "shop", requestQuota }) }],
    }),
  ),
});
const empty = (status: number, text = ""): WireResponse => ({ status, headers: [], body: Buffer.from(text) });

describe("a server's copy of the target manager's state", () => {
  let requests: WireRequest[];
  let answer: (request: WireRequest) => WireResponse | Promise<WireResponse>;
  let store: SharedStore;
  beforeEach(() => {
    requests = [];
    store = new SharedStore(
      new ManagerClient(async (request) => {
        requests.push(request);
        return answer(request);
      }),
    );
  });
  const lastAsked = () => header({ headers: requests.at(-1)?.headers ?? [] }, "If-None-Match");
  const quota = async (name = "shop") => {
    const database = await store.findDatabaseByName(name);
    return database?.kind === "cloud" ? database.requestQuota : undefined;
  };

  /** A request for the state that is not answered until `release` is called. */
  const askSlowly = () => {
    let release = (_response: WireResponse) => {};
    answer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const slow = quota();
    return { slow, release: (response: WireResponse) => release(response) };
  };

  test("is read again by its version, as long as it is one of the latest 200", async () => {
    answer = ({ path }) => records(`${encodeURIComponent(path)}.1`.replaceAll("%", "-"), 1);
    await quota("oldest");
    await quota("oldest");
    expect(lastAsked()).toMatch(/oldest.*\.1"$/);
    for (let count = 0; count < 200; count += 1) await quota(`database ${count}`);
    await quota("database 0");
    expect(lastAsked()).toMatch(/\.1"$/);
    await quota("oldest");
    expect(lastAsked()).toBeUndefined();
  });

  test("has the later version, when two responses overtake each other", async () => {
    answer = () => records("a.1", 1);
    await quota();
    const { slow, release } = askSlowly();
    answer = () => records("a.3", 3, 1);
    expect(await quota()).toBe(3);
    release(records("a.2", 2, 1));
    expect(await slow).toBe(3);
    answer = () => empty(304);
    expect(await quota()).toBe(3);
    expect(lastAsked()).toBe('"a.3"');
  });

  test("is read as a whole when its version is no longer known", async () => {
    answer = () => records("a.1", 1);
    await quota();
    const { slow, release } = askSlowly();
    answer = () => empty(204);
    expect(await quota()).toBeUndefined();
    answer = () => records("a.4", 4);
    release(records("a.2", 2, 1));
    expect(await slow).toBe(4);
  });

  test.each([
    [400, "400: expected argument 1"],
    [500, "500"],
  ])("is not to be had from a manager that answers %i, which says why only at 400", async (status, said) => {
    answer = () => empty(status, "expected argument 1");
    await expect(store.reset()).rejects.toThrow(
      new RegExp(`^the target manager answered DELETE /internal/state with ${said}$`),
    );
  });
});
