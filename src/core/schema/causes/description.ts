import { type CauseCode, ROOMS, rowOf } from "./causes.ts";

/** A code for people: what happened, what to change, and a request that gets it. */
export function describeCode(code: CauseCode): string {
  const { happened, change, example } = rowOf(code);
  return `${code}\n\n${happened}\n${change}\n\nFor example:\n${example.replace(/^/gm, "  ").trimEnd()}\n`;
}

/** All codes, by API. */
export const listCodes = (): string =>
  ROOMS.map(([title, rows]) => {
    const lines = Object.entries(rows).map(([code, { happened }]) => `  ${code.padEnd(26)} ${happened}`);
    return `${title}\n${lines.join("\n")}\n`;
  }).join("\n");

/** A cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|");

/** The page of the reference. */
export const codesPage = (): string =>
  [
    "# Codes of causes",
    "",
    "Each entry of `mock.requests` that has a `reason` has a `cause`: a code, and the facts that the sentence names. Codes are stable, sentences",
    "are not. `npx mock-cloud-reco explain date.skewed` prints one of these.",
    ...ROOMS.flatMap(([title, rows]) => [
      "",
      `## ${title}`,
      "",
      "| code | what happened | what to change | a request that gets it |",
      "| --- | --- | --- | --- |",
      ...Object.entries(rows).map(
        ([code, { happened, change, example }]) =>
          `| \`${code}\` | ${cell(happened)} | ${cell(change)} | ${exampleCell(example)} |`,
      ),
    ]),
    "",
  ].join("\n");

const exampleCell = (example: string): string =>
  example
    .split("\n")
    .filter((line) => line !== "")
    .map((line, _at, lines) =>
      lines.length === 1 && /[^A-Z] /.test(line) ? cell(line) : `\`${line.replaceAll("|", "\\|")}\``,
    )
    .join("<br>");
