import { type Fact, KNOWN_BY, type Known } from "./engine/fact.ts";
import { FACTS } from "./facts.ts";

/** What was observed in public sessions at the real service, and is not emulated: nobody recorded the bytes, or it is chance. */
const NOT_EMULATED = `- A query whose headers have about 8 KiB in all gets a page with the status 431. A header line of 16,384 bytes or more is refused with a
  shorter page. A \`Cookie\` line that is some bytes too long passes.
- A 429 has the upstream time header only if the inner proxy refused the request.
- A database that was suspended for its monthly threshold still serves \`GET /targets\` and the summary.
- A malformed configuration of states gets an internal error.
- Some targets are never processed. A rating is -1 for about 1 of the 30 seconds of processing.
- A report is ready within a second. Responses are chunked at times.
- Changes are seen late, rate limits are loose, and Model Target requests fail at times: only with the option
  [\`realism\`](../realism/README.md).`;

const TITLES: Readonly<Record<Known["by"], string>> = {
  observed: "Observed at the real service",
  documented: "Documented",
  specified: "Specified by this emulator only",
  assumed: "Assumed",
};

/** Groups facts by what they say of how they are known, in the order of the rows. */
function bySource(facts: readonly Fact[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, known } of facts) groups.set(known.how, [...(groups.get(known.how) ?? []), id]);
  return groups;
}

function section(by: Known["by"]): string {
  const facts = FACTS.filter(({ known }) => known.by === by);
  const lines = [...bySource(facts)].map(
    ([how, ids]) => `- ${how.replaceAll(/[<>]/g, "\\$&")}: ${ids.map((id) => `\`${id}\``).join(", ")}`,
  );
  return `## ${TITLES[by]} (${facts.length})\n\n${lines.length === 0 ? "None." : lines.join("\n")}\n`;
}

/** The page that lists the facts by how they are known. */
export const knownPage = (): string => `# How each fact is known

This list is made from the rows in \`test/conformance\`, whose README describes the kinds. It has the source of each fact or, of what is
assumed, why nobody knows. A date after \`@\` says when the source was last read.

## Observed, and not emulated

${NOT_EMULATED}

${KNOWN_BY.map(section).join("\n")}`;
