import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it, onTestFinished } from "vitest";
import { clients, fetchClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";

function opened(processingTimeSeconds = 0) {
  const mock = new MockCloudReco({ processingTimeSeconds });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const names = () => database.targets.map(({ name }) => name);
  return { mock, database, names, session: new MockSession(mock, database) };
}

/** Resolves when the expected number of callers has arrived. */
function barrier(expected: number): () => Promise<void> {
  let arrived = 0;
  let open = () => {};
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    arrived += 1;
    if (arrived === expected) open();
    return opening;
  };
}

describe("an isolated call", () => {
  it("starts with the current state, and its changes are discarded when it ends", async () => {
    const { mock, database, names, session } = opened();
    await session.add({ name: "before" });
    const result = await mock.isolate(async () => {
      await session.add({ name: "inside" });
      await mock.addTarget(database, { name: "by hand", image: makePng() });
      mock.updateDatabase(database, { targetQuota: 3 });
      expect(names()).toEqual(["before", "inside", "by hand"]);
      expect((await session.add({ name: "too many" })).status).toBe(403);
      mock.addCloudDatabase({ databaseName: "only here" });
      return "a result";
    });
    expect(result).toBe("a result");
    expect([names(), database.targetQuota]).toEqual([["before"], 1000]);
    mock.addCloudDatabase({ databaseName: "only here" });
    expect((await session.add({ name: "inside" })).status).toBe(201);
  });

  it("wants a function", () => {
    const { mock } = opened();
    expect(() => mock.isolate(undefined as never)).toThrow(
      "isolate: expected a function that uses the isolated state; got undefined",
    );
  });

  it("ends when its function throws or rejects", async () => {
    const { mock, names, session } = opened();
    await expect(
      mock.isolate(async () => {
        await session.add();
        throw new Error("as tests do");
      }),
    ).rejects.toThrow("as tests do");
    await expect(
      mock.isolate(() => {
        throw new Error("at once");
      }),
    ).rejects.toThrow("at once");
    expect(names()).toEqual([]);
  });

  it("can reset, restore and finish processing without an effect outside", async () => {
    const { mock, names, session } = opened();
    await session.add({ name: "outside" });
    const snapshot = mock.snapshot();
    await mock.isolate(async () => {
      await mock.reset();
      expect(mock.snapshot().databases).toEqual([]);
      mock.restore(snapshot);
      expect(names()).toEqual(["outside"]);
    });
    expect(mock.snapshot()).toEqual(snapshot);
  });

  it("can move the clock through the target manager without an effect outside", async () => {
    const { mock, database } = opened(60);
    await mock.addTarget(database, { name: "slow", image: makePng() });
    const status = () => database.targets[0]?.status;
    const body = JSON.stringify({ seconds: 61 });
    await mock.isolate(async () => {
      await fetch(`${mock.urls.manager}/clock/advance`, { method: "POST", body });
      expect(status()).toBe("success");
      await mock.isolate(() => expect(status()).toBe("success"));
      await mock.reset();
      await fetch(`${mock.urls.manager}/clock/advance`, { method: "POST", body });
    });
    expect(status()).toBe("processing");
    await fetch(`${mock.urls.manager}/clock/advance`, { method: "POST", body });
    expect(status()).toBe("success");
    await mock.reset();
    const { now } = JSON.parse(await (await fetch(`${mock.urls.manager}/clock`)).text());
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
  });

  it("is not nested in a concurrent call", async () => {
    const { mock } = opened();
    const both = barrier(2);
    const addShop = async () => {
      const database = mock.addCloudDatabase({ databaseName: "new shop" });
      await both();
      return database.databaseName;
    };
    expect(await Promise.all([mock.isolate(addShop), mock.isolate(addShop)])).toEqual([
      "new shop",
      "new shop",
    ]);
  });

  it("has only its own requests while others run concurrently", async () => {
    const { mock, session } = opened();
    await session.add({ name: "before" });
    const seen: number[] = [];
    mock.on("response", ({ number }) => seen.push(number));
    const both = barrier(2);
    const paths = () => mock.requests.map(({ method, path }) => `${method} ${path}`);
    const list = async () => {
      await session.target({ method: "GET", path: "/targets" });
      await both();
      expect(paths()).toEqual(["GET /targets"]);
      expect(mock.explain()).toMatch(/^1 request, none refused/);
      await mock.isolate(() => session.target({ method: "GET", path: "/nested" })).catch(() => {});
      expect(paths()).toEqual(["GET /targets", "GET /nested"]);
      mock.clearRequests();
      expect(paths()).toEqual([]);
    };
    const add = async () => {
      await session.add({ name: "inside" });
      await both();
      expect(paths()).toEqual(["POST /targets"]);
    };
    await Promise.all([mock.isolate(list), mock.isolate(add)]);
    expect(paths().slice(0, 1)).toEqual(["POST /targets"]);
    expect(paths().slice(1).sort()).toEqual(["GET /nested", "GET /targets", "POST /targets"]);
    expect(seen.sort()).toEqual([2, 3]);
  });

  it("can contain nested calls, each starting with the state of the outer one", async () => {
    const { mock, names, session } = opened();
    await mock.isolate(async () => {
      await session.add({ name: "outer" });
      await mock.isolate(async () => {
        await session.add({ name: "inner" });
        expect(names()).toEqual(["outer", "inner"]);
      });
      expect(names()).toEqual(["outer"]);
    });
    expect(names()).toEqual([]);
  });

  it.each(Object.entries(clients))(
    "sees only its own state among many concurrent calls, through %s",
    async (_name, client) => {
      const { mock, database, names } = opened();
      const session = new MockSession(mock, database, undefined, client);
      await session.add({ name: "shared" });
      const [allAdded, allSeen] = [barrier(10), barrier(10)];
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          mock.isolate(async () => {
            // The same name in each call, which would conflict in a shared state.
            const added = await session.add({ name: "mine", width: index + 1 });
            const { target_id: id } = JSON.parse(added.body.toString());
            await allAdded();
            expect([added.status, names()]).toEqual([201, ["shared", "mine"]]);
            const record = await session.target({ method: "GET", path: `/targets/${id}` });
            expect(JSON.parse(record.body.toString()).target_record.width).toBe(index + 1);
            await allSeen();
          }),
        ),
      );
      expect(names()).toEqual(["shared"]);
    },
  );

  it("applies to a server of the same process if it is the only call", async () => {
    const { mock, names, session } = opened();
    const server = createServer(async (_request, response) => {
      const { status } = await session.add({ name: "by the server" });
      response.end(String(status));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address() satisfies AddressInfo | string | null;
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await mock.isolate(() =>
      mock.isolate(async () => {
        const { body } = await fetchClient({ method: "GET", url: `http://127.0.0.1:${port}/`, headers: {} });
        expect(body.toString()).toBe("201");
        expect(names()).toEqual(["by the server"]);
      }),
    );
    expect(names()).toEqual([]);
  });

  it("does not apply outside while several calls are nested in another", async () => {
    const { mock, names, session } = opened();
    const [bothAdded, end] = [barrier(3), barrier(3)];
    const adding = async (name: string) => {
      await session.add({ name });
      void bothAdded();
      await end();
      return names();
    };
    const outer = mock.isolate(() =>
      Promise.all(["one", "two"].map((name) => mock.isolate(() => adding(name)))),
    );
    await bothAdded();
    expect(names()).toEqual([]);
    void end();
    expect(await outer).toEqual([["one"], ["two"]]);
  });

  it("does not receive what the mock's own methods do outside of it, even while it hangs", async () => {
    const { mock, database, names, session } = opened();
    const [started, end] = [barrier(2), barrier(2)];
    const isolated = mock.isolate(async () => {
      void started();
      await end();
      return [names(), mock.requests.length];
    });
    await started();
    await mock.addTarget(database, { name: "outside", image: makePng() });
    const added = mock.addCloudDatabase({ databaseName: "outside" });
    mock.updateDatabase(database, { targetQuota: 7 });
    expect([names(), database.targetQuota, added.targets]).toEqual([["outside"], 7, []]);
    const snapshot = mock.snapshot();
    await mock.reset();
    mock.restore(snapshot);
    mock.addFault({ operation: "databaseSummary", response: { status: 500 } });
    void end();
    expect(await isolated).toEqual([[], 0]);
    expect(names()).toEqual(["outside"]);
    expect((await session.target({ method: "GET", path: "/summary" })).status).toBe(500);
  });

  it("does not affect another mock", async () => {
    const one = opened();
    const other = new MockCloudReco({ targetUrl: "https://other.example", processingTimeSeconds: 0 });
    onTestFinished(() => other.stop());
    const theirs = other.addCloudDatabase();
    await one.mock.isolate(async () => {
      await new MockSession(other, theirs).add({ name: "kept" });
      await one.session.add({ name: "dropped" });
    });
    expect([one.names(), theirs.targets.map(({ name }) => name)]).toEqual([[], ["kept"]]);
  });
});
