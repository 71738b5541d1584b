/** Prints what is loaded and what is replaced: before, after importing the package, while a mock runs, after it. */
import { appendFileSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire, register } from "node:module";

const [list = ""] = process.argv.slice(2);
appendFileSync(list, "");
// Writes down every file that is imported; what is required is in the cache.
register(
  `data:text/javascript,
   import { appendFileSync } from "node:fs";
   export async function load(url, context, next) {
     appendFileSync(${JSON.stringify(list)}, url + "\\n");
     return next(url, context);
   }`,
);
const { cache } = createRequire(import.meta.url);
const heavy = () => {
  const files = `${readFileSync(list)}\n${Object.keys(cache).join("\n")}`;
  // Not zod: it is bundled into the package, and imported only from source. test/package/entries-load.test.ts checks what is built.
  return ["nock", "sharp"].filter((name) => files.includes(`/node_modules/${name}/`));
};

// Not touching these, which Node defines anew when they are first read.
const globals = ["fetch", "Headers", "Request", "Response", "FormData", "WebSocket"];
const definitions = () => [
  ...globals.map((name) => Object.getOwnPropertyDescriptor(globalThis, name)),
  ...Object.values(Object.getOwnPropertyDescriptors(http)),
  ...Object.values(Object.getOwnPropertyDescriptors(https)),
];
const before = definitions();
const same = () =>
  definitions().every((now, index) => {
    const then = before[index];
    return (["value", "get", "set", "writable", "enumerable", "configurable"] as const).every(
      (key) => now?.[key] === then?.[key],
    );
  });

const report: Record<string, unknown> = { before: { heavy: heavy(), same: same() } };
const { MockCloudReco } = await import("../../../src/index.ts");
report.imported = { heavy: heavy(), same: same() };
const mock = new MockCloudReco();
const { status } = await fetch("https://vws.vuforia.com/targets");
report.running = { heavy: heavy(), same: same(), status };
mock.stop();
report.stopped = { same: same(), works: new Headers([["a", "b"]]).get("a") };
console.log(JSON.stringify(report));
