import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { useBundle } from "../support/use-bundle.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const program = useBundle(".ci/release.ts");
let checkout: string;
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
const release = (): string =>
  execFileSync(process.execPath, [program()], {
    cwd: checkout,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const read = (file: string): Promise<string> => readFile(join(checkout, file), "utf8");

/** Adds a commit with a change that the changelog describes. */
async function change(text: string): Promise<void> {
  await writeFile(join(checkout, "CHANGELOG.md"), text);
  git("add", "--all");
  git("commit", "--message", "Change something");
}

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "release-"));
  for (const file of ["package.json", "package-lock.json"])
    await cp(join(repository, file), join(checkout, file));
  git("init", "--quiet");
  git("config", "user.name", "Somebody");
  git("config", "user.email", "somebody@example.com");
});
afterAll(() => rm(checkout, { recursive: true }));

it("releases twice on one day, by its date", async () => {
  await change("# Changelog\n\n## Unreleased\n\n- New.\n");
  release();
  const { version } = JSON.parse(await read("package.json"));
  const name = git("tag", "--points-at", "HEAD");
  const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(name) ?? [];
  expect(version).toBe(`${year}.${Number(`${month}${day}`)}.0`);
  expect(await read("CHANGELOG.md")).toBe(`# Changelog\n\n## ${name}\n\n- New.\n`);
  expect(git("log", "-1", "--format=%s")).toBe(`Release ${name}`);
  expect(git("status", "--porcelain")).toBe("");

  await change(`# Changelog\n\n## Unreleased\n\n- Newer.\n\n## ${name}\n\n- New.\n`);
  expect(release()).toContain(`${name}.1 (npm: ${version.replace(/0$/, "1")}) is committed and tagged`);
  expect(git("tag", "--points-at", "HEAD")).toBe(`${name}.1`);

  // A checkout may lack the tag of the version that it has.
  git("tag", "--delete", `${name}.1`);
  await change("# Changelog\n\n## Unreleased\n\n- Newest.\n");
  expect(release()).toContain(`${name}.1 (npm: `);
});

it("is published by a workflow when its tag is pushed: with provenance and a list of parts", async () => {
  const workflow = parse(await readFile(join(repository, ".github/workflows/release.yml"), "utf8"));
  const [pattern] = workflow.on.push.tags;
  expect(matchesGlob("2026.11.23.1", pattern)).toBe(true);
  const { permissions, needs, steps } = workflow.jobs.publish;
  expect([permissions["id-token"], needs]).toEqual(["write", "check"]);
  const commands = steps.flatMap((step: { run?: string }) => step.run ?? []);
  expect(commands).toContain("npm publish ./published --provenance --access public");
  expect(commands).toContainEqual(
    expect.stringMatching(/^gh release create "\$GITHUB_REF_NAME" sbom\.cdx\.json /),
  );
  const { scripts } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
  const used = commands.flatMap((command: string) => /^npm run (\S+)/.exec(command)?.[1] ?? []);
  expect(used.filter((name: string) => !(name in scripts))).toEqual([]);
});

it("refuses to release what is not committed or not described", async () => {
  await change("# Changelog\n");
  expect(release).toThrow("## Unreleased");
  await writeFile(join(checkout, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n");
  expect(release).toThrow("the work tree has changes");
});
