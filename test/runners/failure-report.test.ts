import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MockFixtureOptions, mockHooks } from "mock-cloud-reco/assert";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { openFixture } from "./open-fixture.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");
const refusal =
  /\n\nThe mock refused 1 request:\n#1 .* GET \/summary → 401 .*\n(?: {2}.*\n)? {3}\w+: send an Authorization header: /;

describe("with report: on-failure", () => {
  const folder = join(tmpdir(), `mock-cloud-reco-reports-${process.pid}`);
  const open = (more: MockFixtureOptions = {}) =>
    openFixture({ report: "on-failure", reportFolder: folder, ...more });
  const written = async () => (await readdir(folder).catch(() => [])).sort();
  const test = { name: "pictures > are found", file: "/project/pictures.test.ts" };
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("a failed test's report is written, with the test, its error and no secret", async () => {
    const fixture = open();
    const secret = fixture.database.serverSecretKey;
    await summary();
    const error = new Error(`\u001b[31mexpected "${secret}"\u001b[39m to be 200`);
    await fixture.endWithReport({ failed: true, error, ...test });
    const [file = "", ...others] = await written();
    expect(others).toEqual([]);
    expect(file).toMatch(/^pictures-are-found-[0-9a-f]{8}\.html$/);
    expect(error.message).toMatch(refusal);
    expect(error.message.split("\n").at(-1)).toBe(`Report of all requests: ${join(folder, file)}`);
    const html = await readFile(join(folder, file), "utf8");
    const [, data = ""] = /<script type="application\/json" id="report">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      test: { name: "pictures > are found", error: 'expected "‹hidden›" to be 200' },
      requests: [{ path: "/summary", status: 401 }],
    });
    expect(html).not.toContain(secret);
  });

  it("a test that fails because of its fixture has one too", async () => {
    const fixture = open({ failOnRefusedRequests: true });
    await summary();
    await expect(fixture.endWithReport({ failed: false, ...test })).rejects.toThrow(
      /^the mock refused 1 request, .*\n#1 (?:.*\n)+Report of all requests: .*pictures-are-found-.*\.html$/,
    );
    expect(await written()).toHaveLength(1);
  });

  it("also when the requests explain nothing; tests of other files have their own", async () => {
    for (const file of ["/project/a.test.ts", "/project/b.test.ts"]) {
      const fixture = open();
      await new MockSession(fixture.mock, fixture.database).target({ method: "GET", path: "/summary" });
      const error = new Error("other");
      await fixture.endWithReport({ failed: true, error, ...test, file });
      expect(error.message).toMatch(/^other\n\nReport of all requests: \S+$/);
    }
    expect(await written()).toHaveLength(2);
  });

  it("a passing test has none", async () => {
    const fixture = open();
    await summary();
    expect(fixture.endWithReport({ failed: false, ...test })).toBeUndefined();
    expect(await written()).toEqual([]);
  });

  it("a report that cannot be written is a warning, and hides no error", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const fixture = open({ reportFolder: join(process.execPath, "reports") });
    const error = new Error("own");
    await fixture.endWithReport({ failed: true, error, ...test });
    expect(error.message).toMatch(/^own\n/);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^the report .* was not written: /), {
      code: "MOCK_CLOUD_RECO_REPORT",
    });
    warn.mockRestore();
  });

  it("hooks wait for it", async () => {
    const recognition = mockHooks({ report: "on-failure", reportFolder: folder });
    recognition.beforeEach();
    await recognition.afterEach({ state: "failed", err: new Error("own"), titlePath: () => ["a", "b"] });
    expect(await written()).toEqual([expect.stringMatching(/^a-b-/)]);
  });

  it("no other value is accepted", () => {
    expect(() => openFixture({ report: "always" as "on-failure" })).toThrow(
      'Invalid options.report: expected "on-failure"; got "always".',
    );
  });
});
