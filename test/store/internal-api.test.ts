import { expect, test } from "vitest";
import { InternalApi } from "../../src/apis/internal/internal-api.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Journal } from "../../src/runtime/journal.ts";
import { MovableClock } from "../../src/runtime/movable-clock.ts";
import { packCall } from "../../src/store/internal-protocol.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes } from "./contract-cases.ts";

const api = new InternalApi(
  new MemoryStore(assessByBytes),
  new Journal(),
  new MovableClock(systemClock),
  "epoch",
);
const ask = async (method: string, path: string, body: Buffer = Buffer.alloc(0)) => {
  const response = await api.answer({ method, path, query: "", headers: [], body });
  return `${response.status} ${response.body.toString()}`;
};

test("only its own paths are its", () => {
  const request = { method: "GET", query: "", headers: [], body: Buffer.alloc(0) };
  expect(api.serves({ ...request, path: "/internal/anything" })).toBe(true);
  expect(api.serves({ ...request, path: "/internal" })).toBe(false);
  expect(api.serves({ ...request, path: "/cloud_databases" })).toBe(false);
});

test.each([
  ["GET", "/internal/"],
  ["GET", "/internal/store/reset"],
  ["POST", "/internal/store/findDatabaseByName"],
  ["POST", "/internal/store/constructor"],
  ["POST", "/internal/store/toString"],
  ["GET", "/internal/databases/serverSecretKey/%22x%22"],
  ["GET", "/internal/databases/name/%22x%22/more"],
  ["GET", "/internal/images/0000"],
  ["DELETE", "/internal/images/0000"],
  ["DELETE", "/internal/journal"],
])("%s %s is not served", async (method, path) => {
  expect(await ask(method, path)).toBe("404 ");
});

test.each(["/internal/databases/name/x", "/internal/databases/name/%", "/internal/databases/name/5"])(
  "%s names no database",
  async (path) => {
    expect(await ask("GET", path)).toBe("204 ");
  },
);

test.each([
  ["no arguments", Buffer.alloc(0)],
  ["not JSON", Buffer.from("\0\0\0\u0002{]")],
  ["no list", Buffer.from("\0\0\0\u0002{}")],
  ["a length beyond the end", Buffer.from("\0\0\0\u0009[]")],
  ["a wrong argument", packCall([5])],
])("a call with %s is refused", async (_what, body) => {
  expect(await ask("POST", "/internal/store/findReport", body)).toMatch(/^400 ./);
});

test("what fails in the store is told, and shows no values", async () => {
  const body = packCall([{ kind: "cloud", serverSecretKey: "do-not-show" }]);
  const answer = await ask("POST", "/internal/store/createDatabase", body);
  expect(answer).toBe("400 expected argument 1, got an object with the fields kind, serverSecretKey");
});
