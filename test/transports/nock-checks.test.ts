import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { checkNock } from "../../src/transports/nock/nock-module.ts";

describe("the nock that is installed", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "nock-")));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A project with a nock that does nothing; what its modules would load. */
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

  /** As a user's own code does. */
  function loaded(load: NodeJS.Require): void {
    load("nock/lib/intercept.js");
    onTestFinished(() => {
      delete load.cache[load.resolve("nock/lib/intercept.js")];
    });
  }

  test.each(["14.0.17", "14.0.20", "14.1.0"])("%s is accepted", async (version) => {
    expect(checkNock(await project("own", version))).toBe(version);
  });

  test.each(["13.5.6", "14.0.16", "15.0.0", undefined])("%s is not", async (version) => {
    const load = await project("own", version);
    expect(() => checkNock(load)).toThrow(
      `unsupported nock version: expected 14.0.17 or a later 14.x; got ${version}; reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock`,
    );
  });

  test("one that does not show its version is too new", async () => {
    const load = await project("own", "15.0.0", { exports: "./index.js" });
    expect(() => checkNock(load)).toThrow(
      "unsupported nock version: expected 14.0.17 or a later 14.x; got 15 or later",
    );
  });

  test("none", () => {
    expect(() => checkNock(createRequire(join(folder, "index.js")))).toThrow(
      'nock is not installed; reinstall mock-cloud-reco, or set the option intercept to "sockets", which does not use nock',
    );
  });

  test("another copy that is loaded is named", async () => {
    const own = await project("own", "14.0.17");
    const others = await project("others", "14.0.18");
    loaded(own);
    expect(checkNock(own)).toBe("14.0.17");
    loaded(others);
    expect(() => checkNock(own)).toThrow(
      `two copies of nock are loaded, ${join(folder, "others/node_modules/nock")} and ` +
        `this package's ${join(folder, "own/node_modules/nock")}`,
    );
  });

  test("a loaded copy of an older nock does not matter", async () => {
    const own = await project("own", "14.0.17");
    loaded(await project("older", "13.5.6"));
    expect(checkNock(own)).toBe("14.0.17");
  });
});

test("where process.nextTick is faked, a mock says what to do instead", () => {
  // As Jest's fake timers mark what they fake.
  Object.assign(process.nextTick, { clock: {} });
  onTestFinished(() => void Reflect.deleteProperty(process.nextTick, "clock"));
  expect(() => new MockCloudReco()).toThrow('jest.useFakeTimers({ doNotFake: ["nextTick"] })');
});
