import { type HeaderList, systemClock } from "mock-cloud-reco";
import { expect, test } from "vitest";
import { MovableClock } from "../../src/emulator/clock.ts";
import { Faults } from "../../src/emulator/faults.ts";
import { Journal } from "../../src/emulator/journal.ts";
import { createRandom } from "../../src/emulator/random.ts";
import type { FoundRecords } from "../../src/store/backing.ts";
import { pack, toText, unpack } from "../../src/store/codec.ts";
import { CHANGE_HEADER, RUN_HEADER } from "../../src/store/manager/protocol.ts";
import { StateServer } from "../../src/store/manager/state-server.ts";
import { MemoryBacking } from "../../src/store/memory-backing.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes, cloud } from "./contract-cases.ts";

const parts = {
  journal: new Journal(),
  clock: new MovableClock(systemClock),
  faults: new Faults([]),
  random: createRandom(),
};
const store = new MemoryStore(assessByBytes);
const server = new StateServer(new MemoryBacking(store, parts, "run", async () => undefined), "run");
const send = (name: string, body: Buffer, headers: HeaderList = [], method = "POST") =>
  server.answer({ method, path: `/internal/${name}`, query: "", headers, body });
const ask = async (...request: Parameters<typeof send>) => {
  const { status, body } = await send(...request);
  return `${status} ${body.toString()}`;
};
const call = async (name: string, ...given: readonly unknown[]) => {
  const { status, body } = await send(name, pack(given));
  if (status !== 200) return `${status} ${body.toString()}`;
  const [result] = Object(await unpack(body));
  return result;
};

test("serves only its own paths", () => {
  const request = { method: "POST", query: "", headers: [], body: Buffer.alloc(0) };
  expect(server.serves({ ...request, path: "/internal/anything" })).toBe(true);
  expect(server.serves({ ...request, path: "/internal" })).toBe(false);
  expect(server.serves({ ...request, path: "/cloud_databases" })).toBe(false);
});

test.each([
  ["POST", ""],
  ["PUT", "read"],
  ["GET", "list"],
  ["POST", "read/"],
  ["POST", "clock"],
  ["POST", "constructor"],
])("%s /internal/%s is not served", async (method, name) => {
  expect(await ask(name, pack([]), [], method)).toBe("404 there is no such call");
});

test.each([
  ["databaseName", "x"],
  ["scope", "run-9"],
  ["scope", "another-0"],
])("%s %s names no database", async (...key) => {
  expect(await call("read", key)).toBeUndefined();
});

test.each([
  ["create", Buffer.from("{]")],
  ["create", Buffer.from("\0\0\0\x09[]")],
  ["create", pack([])],
  ["create", pack([[]])],
  ["read", pack([["serverSecretKey", "x"]])],
  ["read", pack([["databaseName", 5]])],
  ["takeRateToken", pack(["run-0", 5, 0])],
  ["putImage", pack(["text"])],
  ["putImage", pack([Buffer.alloc(9)]).subarray(0, -1)],
  ["getImage", pack(["0000"])],
  ["putJournal", pack([pack([]), "0"])],
])("%s with something else is refused", async (name, body) => {
  expect(await ask(name, body)).toMatch(/^400 ./);
});

test("says what is wrong with a record, without values", async () => {
  expect(await call("create", { kind: "cloud", serverSecretKey: "hidden" })).toBe(
    "400 create[0].databaseId: expected a name of 1 to 255 characters that can be a path segment; got nothing",
  );
});

test("changes are committed only to the latest version, and only if the images that they name are stored", async () => {
  await call("create", cloud({ databaseName: "shop" }));
  const latest = async () => {
    const { scope, version }: FoundRecords = await call("read", ["databaseName", "shop"]);
    return { scope, version };
  };
  const record = { clientId: "a", clientSecret: "b", scopes: [] };
  const credential = { kind: "credential", key: "a", record };
  const at = await latest();
  expect(await call("commit", at, [{ ...credential, kind: "other" }])).toMatch(
    /^400 commit\[1\]\[0\]\.kind: expected /,
  );
  expect(await call("commit", { ...at, version: 99 }, [credential])).toBe("stale");
  expect(await call("commit", at, [credential])).toBe(at.version + 1);
  expect(await call("commit", at, [credential])).toBe("stale");
  const many = (count: number) => Array.from({ length: count }, () => ({ ...credential, record: null }));
  expect(await call("commit", await latest(), many(1001))).toBe(
    "400 commit[1]: expected at most 1000 changes; got an array of 1001",
  );
  expect(await call("commit", await latest(), many(1000))).toBe(at.version + 2);
  expect(await call("commit", { scope: "run-77", version: 1 }, [credential])).toBe("gone");
});

test("a change is made once, however often its request arrives, even while it is being made", async () => {
  const given = pack([cloud({ databaseName: "once" })]);
  const change = [[CHANGE_HEADER, "a"]] as const;
  const answers = await Promise.all([send("create", given, change), send("create", given, change)]);
  answers.push(await send("create", given, change));
  for (const { body } of answers) expect(Object(await unpack(body))[0]).toBeUndefined();
  const other = await send("create", given, [[CHANGE_HEADER, "b"]]);
  expect(Object(await unpack(other.body))[0]).toMatchObject({ conflict: "databaseId" });
});

test("a change that another run may have made is not made", async () => {
  const given = pack([cloud({ databaseName: "after a restart" })]);
  const again = (run: string): HeaderList => [
    [CHANGE_HEADER, run],
    [RUN_HEADER, run],
  ];
  expect(await ask("create", given, again("other"))).toBe(
    "409 the manager was restarted, and may have made this change before",
  );
  expect((await send("list", pack([]), [[RUN_HEADER, "other"]])).status).toBe(200);
  expect((await send("create", given, again("run"))).status).toBe(200);
});

test("large text is read like small text, and malformed text refused", async () => {
  const large = cloud({ databaseName: `\0-0${"x".repeat(250)}` });
  const text = Buffer.from(`${toText([large])}${" ".repeat(300_000)}`);
  const textLength = Buffer.alloc(4);
  textLength.writeUInt32BE(text.length);
  expect(await ask("create", Buffer.concat([textLength, text]))).toMatch(/^200/);
  const { databases } = Object(await call("snapshot"));
  expect(databases.at(-1).database.databaseName).toBe(large.databaseName);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(300_000);
  expect(await ask("create", Buffer.concat([length, Buffer.from("[".repeat(300_000))]))).toBe(
    "400 nested deeper than 100 levels at position 100",
  );
});

test("a journal has at most 1000 entries", async () => {
  const packed = (count: number) =>
    pack([{ sender: "", first: 1, dropped: 0, entries: Array.from({ length: count }, () => ({})) }]);
  expect(await call("putJournal", packed(1001), "0")).toBe("400 expected at most 1000 entries; got 1001");
  expect(await call("putJournal", packed(1000), "0")).toMatch(/^400 journal\.entries\[0\]/);
});
