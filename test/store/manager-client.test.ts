import { beforeEach, describe, expect, test } from "vitest";
import { UNMOVED } from "../../src/emulator/clock.ts";
import type { WireRequest, WireResponse } from "../../src/emulator/message.ts";
import { pack, unpack } from "../../src/store/codec.ts";
import { ManagerClient } from "../../src/store/manager/manager-client.ts";
import { SharedStore } from "../../src/store/shared-store.ts";
import { cloud } from "./contract-cases.ts";

const result = (value: unknown): WireResponse => ({
  status: 200,
  headers: [],
  body: pack([value, UNMOVED, false, "0"]),
});
const records = (scope: string, version: number, requestQuota: number, since?: number): WireResponse =>
  result({
    scope,
    version,
    ...(since !== undefined && { since }),
    changes: [{ kind: "database", key: "", record: cloud({ databaseName: "shop", requestQuota }) }],
  });
const failed = (status: number, text = ""): WireResponse => ({
  status,
  headers: [],
  body: Buffer.from(text),
});

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
  /** The version that the latest request knew. */
  const lastKnown = async () => Object(await unpack(requests.at(-1)?.body ?? Buffer.alloc(0)))[1];
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
    answer = ({ body }) => records(body.toString("hex"), 1, 1);
    await quota("oldest");
    await quota("oldest");
    expect(await lastKnown()).toMatchObject({ version: 1 });
    for (let count = 0; count < 200; count += 1) await quota(`database ${count}`);
    await quota("database 0");
    expect(await lastKnown()).toMatchObject({ version: 1 });
    await quota("oldest");
    expect(await lastKnown()).toBeUndefined();
  });

  test("has the later version, when two responses overtake each other", async () => {
    answer = () => records("a", 1, 1);
    await quota();
    const { slow, release } = askSlowly();
    answer = () => records("a", 3, 3, 1);
    expect(await quota()).toBe(3);
    release(records("a", 2, 2, 1));
    expect(await slow).toBe(3);
    answer = () => result("unchanged");
    expect(await quota()).toBe(3);
    expect(await lastKnown()).toEqual({ scope: "a", version: 3 });
  });

  test("is read as a whole when its version is no longer known", async () => {
    answer = () => records("a", 1, 1);
    await quota();
    const { slow, release } = askSlowly();
    answer = () => result(undefined);
    expect(await quota()).toBeUndefined();
    answer = () => records("a", 4, 4);
    release(records("a", 2, 2, 1));
    expect(await slow).toBe(4);
  });

  test.each([
    [400, "400: expected argument 1"],
    [500, "500"],
  ])("is not to be had from a manager that answers %i, which says why only at 400", async (status, said) => {
    answer = () => failed(status, "expected argument 1");
    await expect(store.reset()).rejects.toThrow(
      new RegExp(`^the target manager answered /internal/reset with ${said}$`),
    );
  });
});
