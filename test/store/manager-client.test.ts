import { beforeEach, describe, expect, test } from "vitest";
import { header, type WireRequest, type WireResponse } from "../../src/http/wire-message.ts";
import { toText } from "../../src/store/codec.ts";
import { ManagerClient } from "../../src/store/manager-client.ts";
import { cloud } from "./contract-cases.ts";

const shop = cloud({ name: "shop" });
const state = (etag: string): WireResponse => ({
  status: 200,
  headers: [["ETag", etag]],
  body: Buffer.from(toText({ complete: true, database: shop, targets: [], templates: [] })),
});
const empty = (status: number, text = ""): WireResponse => ({ status, headers: [], body: Buffer.from(text) });

describe("what a server knows of the target manager's state", () => {
  let requests: WireRequest[];
  let answer: (request: WireRequest) => WireResponse | Promise<WireResponse>;
  let client: ManagerClient;
  beforeEach(() => {
    requests = [];
    client = new ManagerClient(async (request) => {
      requests.push(request);
      return answer(request);
    });
  });
  const lastAsked = () => header({ headers: requests.at(-1)?.headers ?? [] }, "If-None-Match");

  /** A request for the state that is not answered until `release` is called. */
  const askSlowly = () => {
    let release = (_response: WireResponse) => {};
    answer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const slow = client.view("name", "shop");
    return { slow, release: (response: WireResponse) => release(response) };
  };

  test("is asked for again by its tag, as long as it is one of the latest 200", async () => {
    answer = () => state('"one"');
    await client.view("name", "oldest");
    await client.view("name", "oldest");
    expect(lastAsked()).toBe('"one"');
    for (let count = 0; count < 200; count += 1) await client.view("name", `database ${count}`);
    await client.view("name", "database 0");
    expect(lastAsked()).toBe('"one"');
    await client.view("name", "oldest");
    expect(lastAsked()).toBeUndefined();
  });

  test("is what was asked for later, of two answers that overtake each other", async () => {
    answer = () => state('"one"');
    await client.view("name", "shop");
    const { slow, release } = askSlowly();
    answer = () => state('"three"');
    await client.view("name", "shop");
    release(state('"two"'));
    // A request goes on with what it was told itself.
    expect((await slow)?.etag).toBe('"two"');
    await client.view("name", "shop");
    expect(lastAsked()).toBe('"three"');
  });

  test("is gone with the database, and back with a late answer", async () => {
    answer = () => state('"one"');
    await client.view("name", "shop");
    const { slow, release } = askSlowly();
    answer = () => empty(204);
    expect(await client.view("name", "shop")).toBeUndefined();
    release(state('"two"'));
    await slow;
    await client.view("name", "shop");
    expect(lastAsked()).toBe('"two"');
  });

  test.each([
    [400, "400: expected argument 1"],
    [500, "500"],
  ])("is not to be had from a manager that answers %i, which says why only at 400", async (status, said) => {
    answer = () => empty(status, "expected argument 1");
    await expect(client.call("reset", [])).rejects.toThrow(
      new RegExp(`^the target manager answered POST /internal/store with ${said}$`),
    );
  });
});
