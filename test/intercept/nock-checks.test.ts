import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { checkNock } from "../../src/intercept/nock/nock-module.ts";

describe("the installed nock", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "nock-")));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Creates a project with an empty nock, and returns the `require` of its modules. */
  async function project(name: string, version?: string, fields: object = {}): Promise<NodeJS.Require> {
    const nock = join(folder, name, "node_modules/nock");
    await mkdir(join(nock, "lib"), { recursive: true });
    await writeFile(
      join(nock, "package.json"),
      JSON.stringify({ name: "nock", version, main: "index.js", ...fields }),
    );
    for (const file of ["index.js", "lib/intercept.js"]) await writeFile(join(nock, file), "");
    return createRequire(join(folder, name, "index.js"));
  }

  /** Loads nock as a user's own code does. */
  function loaded(load: NodeJS.Require): void {
    load("nock/lib/intercept.js");
    onTestFinished(() => {
      delete load.cache[load.resolve("nock/lib/intercept.js")];
    });
  }

  test.each(["14.0.17", "14.0.20", "14.1.0"])("%s is accepted", async (version) => {
    expect(checkNock(await project("own", version))).toBe(version);
  });

  test.each(["13.5.6", "14.0.16", "15.0.0", undefined])("%s is refused", async (version) => {
    const load = await project("own", version);
    expect(() => checkNock(load)).toThrow(
      `unsupported nock version: expected 14.0.17 or a later 14.x; got ${version}; reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock`,
    );
  });

  test("is refused as too new when it does not export its package.json", async () => {
    const load = await project("own", "15.0.0", { exports: "./index.js" });
    expect(() => checkNock(load)).toThrow(
      "unsupported nock version: expected 14.0.17 or a later 14.x; got 15 or later",
    );
  });

  test("is refused when it is missing", () => {
    expect(() => checkNock(createRequire(join(folder, "index.js")))).toThrow(
      'nock is not installed; reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock',
    );
  });

  test("is refused when another copy is loaded, which the error names", async () => {
    const own = await project("own", "14.0.17");
    const others = await project("others", "14.0.18");
    loaded(own);
    expect(checkNock(own)).toBe("14.0.17");
    loaded(others);
    expect(() => checkNock(own)).toThrow(
      `two copies of nock are loaded, ${join(folder, "others/node_modules/nock")} and ` +
        `this package's ${join(folder, "own/node_modules/nock")}, so requests would reach neither; ` +
        'install a single copy ("npm ls nock" lists them), or set the option intercept to "sockets", which does not use nock',
    );
  });

  test("is accepted when a copy of an older nock is loaded", async () => {
    const own = await project("own", "14.0.17");
    loaded(await project("older", "13.5.6"));
    expect(checkNock(own)).toBe("14.0.17");
  });
});

test("a mock refuses a faked process.nextTick, with what to do instead", () => {
  // Jest's fake timers mark faked functions this way.
  Object.assign(process.nextTick, { clock: {} });
  onTestFinished(() => void Reflect.deleteProperty(process.nextTick, "clock"));
  expect(() => new MockCloudReco()).toThrow('jest.useFakeTimers({ doNotFake: ["nextTick"] })');
});
