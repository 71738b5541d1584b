import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { confirmedBy, contradictionsIn, readEvidence, withObservations } from "./evidence.ts";

/** `npm run evidence -- FILE --source NAME`: puts what a file of `--evidence` confirms into the rows, and shows what it contradicts. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { source: { type: "string" } },
});
const [file] = positionals;
if (file === undefined || values.source === undefined)
  throw new Error("expected a file, and --source NAME: where others can read who saw this");
const evidence = readEvidence(readFileSync(file, "utf8"));

const { hostname } = new URL(evidence.service);
if (!["vws.vuforia.com", "cloudreco.vuforia.com"].includes(hostname))
  throw new Error(`${hostname} is not the real service: what it answers is no observation`);

const confirmed = confirmedBy(evidence);
const folder = fileURLToPath(new URL("../rows/", import.meta.url));
for (const name of readdirSync(folder)) {
  const path = `${folder}/${name}`;
  const before = readFileSync(path, "utf8");
  const after = withObservations(before, confirmed, `${values.source} @${evidence.date}`);
  if (after !== before) writeFileSync(path, after);
}
const contradictions = contradictionsIn(evidence);
console.log(
  [`${confirmed.length} rows are observed now: ${confirmed.join(", ")}`, ...contradictions].join("\n"),
);
console.log(
  "Run npx vitest run --project source test/conformance/rows.test.ts -u, and correct the counts that it names.",
);
