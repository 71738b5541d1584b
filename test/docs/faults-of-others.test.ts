import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const OTHERS =
  /\b(nock|undici|fetch|axios|got|needle|hpagent|tunnel|MSW|@mswjs\/interceptors|Node|sharp|JSON\.parse|the real service)\b/;
const FAULTS =
  /\b(hangs?\b|wait forever|for ever\b|ends? the process|uncaught|asserts? on|never processed|stay in processing|misreads?)/;

/** Every comment, test name and sentence of a page, with the lines that it goes on in. */
const sentencesOf = (text: string): readonly string[] =>
  text.replaceAll(/\n *(\/\/|\*|#|-)? */g, " ").split(/(?<=[.;:?!|])\s|\*\/|(?<=")[,:)]/);

const texts = [
  "src",
  "test",
  "examples",
  "findings",
  ".ci",
  ".github",
  "README.md",
  "CHANGELOG.md",
  "llms.txt",
].flatMap((part) =>
  /\.\w+$/.test(part) && !part.startsWith(".")
    ? [part]
    : readdirSync(join(repository, part), { recursive: true, encoding: "utf8" })
        .filter(
          (file) => /\.(ts|tsx|mjs|cjs|js|sh|md|yaml|yml)$/.test(file) && !file.includes("node_modules"),
        )
        .map((file) => join(part, file)),
);

it("no sentence says which input is too much for other software", () => {
  const said = texts
    .filter((file) => !file.endsWith("faults-of-others.test.ts"))
    .flatMap((file) =>
      sentencesOf(readFileSync(join(repository, file), "utf8"))
        .filter((sentence) => OTHERS.test(sentence) && FAULTS.test(sentence))
        .map((sentence) => `${file}: ${sentence.slice(0, 300)}`),
    );
  expect(texts.length).toBeGreaterThan(500);
  expect(said).toEqual([]);
});
