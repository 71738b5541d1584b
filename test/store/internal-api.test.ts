import { expect, test } from "vitest";
import { InternalApi } from "../../src/apis/internal/internal-api.ts";
import { MovableClock, systemClock } from "../../src/emulator/clock.ts";
import { Journal } from "../../src/emulator/journal.ts";
import { type HeaderList, header } from "../../src/emulator/message.ts";
import { fromText, toText } from "../../src/store/codec.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes, cloud } from "./contract-cases.ts";

const api = new InternalApi(
  new MemoryStore(assessByBytes),
  new Journal(),
  new MovableClock(systemClock),
  "epoch",
);
const send = (method: string, path: string, body: Buffer = Buffer.alloc(0), headers: HeaderList = []) =>
  api.answer({ method, path, query: "", headers, body });
const ask = async (...request: Parameters<typeof send>) => {
  const response = await send(...request);
  return `${response.status} ${response.body.toString()}`;
};
const json = (value: unknown) => Buffer.from(toText(value));

test("serves only its own paths", () => {
  const request = { method: "GET", query: "", headers: [], body: Buffer.alloc(0) };
  expect(api.serves({ ...request, path: "/internal/anything" })).toBe(true);
  expect(api.serves({ ...request, path: "/internal" })).toBe(false);
  expect(api.serves({ ...request, path: "/cloud_databases" })).toBe(false);
});

test.each([
  ["GET", "/internal/"],
  ["PUT", "/internal/records"],
  ["GET", "/internal/records/serverSecretKey/%22x%22"],
  ["GET", "/internal/records/databaseName/%22x%22/more"],
  ["GET", "/internal/records/databaseName/x"],
  ["GET", "/internal/records/databaseName/%"],
  ["GET", "/internal/records/databaseName/5"],
  ["POST", "/internal/records/scope/%22epoch-0%22"],
  ["GET", "/internal/images/0000"],
  ["DELETE", "/internal/images/0000"],
  ["DELETE", "/internal/journal"],
])("%s %s is not served", async (method, path) => {
  expect(await ask(method, path)).toBe("404 ");
});

test.each(["databaseName/%22x%22", "scope/%22epoch-9%22", "scope/%22another-0%22"])(
  "records/%s names no database",
  async (path) => {
    expect(await ask("GET", `/internal/records/${path}`)).toBe("204 ");
  },
);

test.each([
  ["POST", "/internal/records", Buffer.from("{]")],
  ["POST", "/internal/records", json([])],
  ["POST", "/internal/rate-limits/epoch-0", json({ rules: 5 })],
  ["POST", "/internal/journal", json({})],
])("%s %s with something else is refused", async (method, path, body) => {
  expect(await ask(method, path, body)).toMatch(/^400 ./);
});

test("says what is wrong with a record, without values", async () => {
  const answer = await ask("POST", "/internal/records", json({ kind: "cloud", serverSecretKey: "hidden" }));
  expect(answer).toBe(
    "400 database.databaseId: expected a name of 1 to 255 characters that can be a path segment; got nothing",
  );
});

test("changes are committed only to the latest version, and only if the images that they name are stored", async () => {
  await send("POST", "/internal/records", json(cloud({ databaseName: "shop" })));
  const found = await send("GET", "/internal/records/databaseName/%22shop%22");
  const etag = header(found, "etag") ?? "";
  const path = `/internal/records/scope/${encodeURIComponent(JSON.stringify(etag.slice(1, -1).split(".")[0]))}`;
  const commit = (tag: string, changes: unknown) => ask("POST", path, json(changes), [["If-Match", tag]]);
  const credential = {
    kind: "credential",
    key: "a",
    record: { clientId: "a", clientSecret: "b", scopes: [] },
  };
  expect(await commit(etag, [{ ...credential, kind: "other" }])).toMatch(
    /^400 changes\[0\]\.kind: expected /,
  );
  expect(await commit('"epoch-1.99"', [credential])).toBe("412 ");
  expect(await commit(etag, [credential])).toBe("204 ");
  expect(await commit(etag, [credential])).toBe("412 ");
  const many = (count: number) => Array.from({ length: count }, () => ({ ...credential, record: null }));
  const latest = header(await send("GET", "/internal/records/databaseName/%22shop%22"), "etag") ?? "";
  expect(await commit(latest, many(1001))).toBe("400 expected at most 1000 changes; got 1001");
  expect(await commit(latest, many(1000))).toBe("204 ");
  const away = "/internal/records/scope/%22epoch-77%22";
  expect(await ask("POST", away, json([credential]), [["If-Match", etag]])).toBe("410 ");
});

test("large text is read like small text, and malformed text refused", async () => {
  const large = cloud({ databaseName: "x".repeat(255), serverSecretKey: `\0-0${"x".repeat(300_000)}` });
  expect(await ask("POST", "/internal/records", json(large))).toBe("201 ");
  const { databases } = Object(fromText((await send("GET", "/internal/state")).body.toString()));
  expect(databases.at(-1).database.serverSecretKey === large.serverSecretKey).toBe(true);
  expect(await ask("POST", "/internal/records", Buffer.from("[".repeat(300_000)))).toBe(
    "400 nested deeper than 100 levels at position 100",
  );
});

test("a journal has at most 1000 entries", async () => {
  const packed = (count: number) => {
    const text = json({ dropped: 0, entries: Array.from({ length: count }, () => ({})) });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, text]);
  };
  expect(await ask("POST", "/internal/journal", packed(1001))).toBe(
    "400 expected at most 1000 entries; got 1001",
  );
  expect(await ask("POST", "/internal/journal", packed(1000))).toMatch(/^400 journal\.entries\[0\]/);
});
