import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { releaseName } from "../src/cli/release.ts";

/** `npm run release`: gives the section "Unreleased" of the CHANGELOG today's date, sets the version, commits and tags. */

const git = (...args: readonly string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
const edit = (file: string, change: (text: string) => string): void =>
  writeFileSync(file, change(readFileSync(file, "utf8")));

if (git("status", "--porcelain") !== "") throw new Error("the work tree has changes; commit or stash them");
if (!readFileSync("CHANGELOG.md", "utf8").includes("## Unreleased\n")) {
  throw new Error('CHANGELOG.md has no section "## Unreleased"');
}

const [year = "", month = "", day = ""] = new Date().toISOString().slice(0, 10).split("-");
const dayVersion = `${year}.${Number(month)}${day}`;
const tags = new Set(git("tag").split("\n"));
let version = `${dayVersion}.0`;
for (let count = 1; tags.has(releaseName(version)); count += 1) version = `${dayVersion}.${count}`;
const name = releaseName(version);

edit("CHANGELOG.md", (text) => text.replace("## Unreleased\n", `## ${name}\n`));
// The version may be that of the release already: only its tag says that it was made.
const args = ["version", version, "--no-git-tag-version", "--allow-same-version"];
execFileSync("npm", args, { stdio: "inherit" });
git("commit", "--all", "--message", `Release ${name}`);
git("tag", "--annotate", name, "--message", name);
console.log(`${name} (npm: ${version}) is committed and tagged; git push --follow-tags publishes it`);
