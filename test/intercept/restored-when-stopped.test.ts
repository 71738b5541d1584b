import http from "node:http";
import https from "node:https";
import { expect, test } from "vitest";
import { HOST, mock } from "./mocks.ts";

/** Everything that nock replaces: values and property descriptors. */
const patchable = () => ({
  headersMethods: Object.getOwnPropertyDescriptors(Headers.prototype),
  ...Object.fromEntries(
    ["fetch", "Headers", "Request", "Response"].map((name) => [
      name,
      Object.getOwnPropertyDescriptor(globalThis, name),
    ]),
  ),
  http: { ...http },
  https: { ...https },
  onHttp: Reflect.ownKeys(http),
});

test("everything is restored when the last mock stops", async () => {
  const before = patchable();
  const { fetch: original } = globalThis;
  const first = mock();
  const second = mock({ baseUrl: "http://other.example" });
  expect(globalThis.fetch).not.toBe(original);
  first.stop();
  first.stop();
  expect(await (await fetch("http://other.example")).text()).toBe("ours");
  second.stop();
  expectSame(patchable(), before);
});

test("a started mock adds no globals, and lets none be enumerated, which some runners take for leaks", () => {
  const globals = () => [Object.keys(globalThis), Object.getOwnPropertyNames(globalThis)];
  const before = globals();
  const { stop } = mock();
  expect(globals()).toEqual(before);
  stop();
});

test.each(["Request", "Response"] as const)("the class %s of a mock's time can be used after it", (name) => {
  const { stop } = mock();
  const { [name]: taken } = globalThis;
  stop();
  for (const headers of [{ "x-a": "1" }, new Headers({ "x-a": "1" })]) {
    const made: Request | Response = Reflect.construct(taken, [HOST, { headers }]);
    expect(made.headers.get("x-a")).toBe("1");
    expect(made).toBeInstanceOf(globalThis[name]);
  }
});

test("a mock works again after an earlier one was stopped", async () => {
  for (let round = 0; round < 3; round++) {
    const { stop } = mock();
    expect(await (await fetch(HOST)).text()).toBe("ours");
    stop();
  }
});

test("many mocks within one turn of the event loop cause no warning", async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on("warning", hear);
  for (let round = 0; round < 30; round++) mock().stop();
  await new Promise(setImmediate);
  process.off("warning", hear);
  expect(warnings).toEqual([]);
});

/** Compares functions by identity. */
function expectSame(actual: unknown, wanted: unknown, path = "globals"): void {
  if (typeof wanted !== "object" || wanted === null) {
    expect(actual === wanted, path).toBe(true);
    return;
  }
  if (typeof actual !== "object" || actual === null) expect.fail(`${path} is gone`);
  expect(Reflect.ownKeys(actual), path).toEqual(Reflect.ownKeys(wanted));
  for (const key of Reflect.ownKeys(wanted)) {
    if (path.split(".").length < 4)
      expectSame(Reflect.get(actual, key), Reflect.get(wanted, key), `${path}.${String(key)}`);
  }
}

test("a fetch that was saved while a mock was started reaches the next one", async () => {
  const first = mock();
  const { fetch: saved } = globalThis;
  first.stop();
  const next = mock({ baseUrl: "http://other.example" });
  try {
    expect(await (await saved("http://other.example", { method: "POST", body: "{}" })).text()).toBe("ours");
  } finally {
    next.stop();
  }
});
