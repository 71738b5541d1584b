import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from "yaml";
import * as z from "zod";
import { bytesOf, textOf } from "../engine/differences.ts";
import type { Outcome } from "../engine/run.ts";

/*
 * What a service answered to rows: `npm run verify -- --evidence FILE` writes it, and `npm run evidence -- FILE` puts what it
 * confirms into the rows.
 */

const text = z.string();
const evidenceSchema = z.strictObject({
  service: text,
  profile: text,
  /** The day, `2026-11-27`. */
  date: z.iso.date(),
  rows: z.array(
    z.strictObject({
      id: text,
      /** How the row was known then. */
      known: text,
      holds: z.boolean(),
      response: z.strictObject({ status: z.int(), headers: z.array(z.tuple([text, text])), body: text }),
      differences: z.array(z.strictObject({ what: text, expected: text, got: text })),
    }),
  ),
});
export type Evidence = z.infer<typeof evidenceSchema>;
type Observation = Evidence["rows"][number];

/** Reads what {@link evidenceOf} wrote. Throws an error that says where it is not as that writes it. */
export const readEvidence = (content: string): Evidence => evidenceSchema.parse(JSON.parse(content));

const LONGEST_BODY = 200_000;

/** What outcomes show, without secrets. */
export const evidenceOf = (
  service: Pick<Evidence, "service" | "profile"> & { readonly now: Date },
  outcomes: readonly Outcome[],
  hide: (text: string) => string,
): Evidence => ({
  service: service.service,
  profile: service.profile,
  date: service.now.toISOString().slice(0, 10),
  rows: outcomes.flatMap((outcome): Observation[] => {
    const { fact, response } = outcome;
    if (response === undefined || outcome.result === "notTried") return [];
    const differences = outcome.result === "differs" ? outcome.differences : [];
    return [
      {
        id: fact.id,
        known: `${fact.known.by}: ${fact.known.how}`,
        holds: outcome.result === "holds",
        response: {
          status: response.status,
          headers: response.headers.map(([name, value]): [string, string] => [name, hide(value)]),
          body: bodyOf(response, hide),
        },
        differences: differences.map(({ what, expected, got }) => ({
          what: hide(what),
          expected: hide(expected),
          got: hide(got),
        })),
      },
    ];
  }),
});

/** Of an image or an archive, how long it is. */
function bodyOf(response: Parameters<typeof textOf>[0], hide: (text: string) => string): string {
  const [bytes, shown] = [bytesOf(response), textOf(response)];
  return Buffer.from(shown).equals(bytes) ? hide(shown).slice(0, LONGEST_BODY) : `(${bytes.length} bytes)`;
}

/** The assumed rows that hold. */
export const confirmedBy = ({ rows }: Evidence): readonly string[] =>
  rows.filter(({ holds, known }) => holds && /^(assumed|specified): /.test(known)).map(({ id }) => id);

/** Both sides of each row that does not hold, in lines. */
export const contradictionsIn = ({ rows }: Evidence): readonly string[] =>
  rows
    .filter(({ holds }) => !holds)
    .flatMap(({ id, known, differences }) => [
      `${id} (${known})`,
      ...differences.map(
        ({ what, expected, got }) => `  ${what}\n    expected ${expected}\n    got      ${got}`,
      ),
    ]);

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const REPLACED = ["assumed", "specified"];

/** Says in the text of a file of rows that some of them were observed, and leaves the rest as it is. */
export function withObservations(content: string, ids: readonly string[], source: string): string {
  const observed = `observed: ${JSON.stringify(source)}`;
  const edits = rowsIn(content)
    .filter((row) => ids.includes(String(row.get("id"))))
    .map((row): Edit => {
      const [, end] = row.range ?? [0, 0];
      const pair = row.items.find(({ key }) => REPLACED.includes(String(key)));
      const [from] = rangeOf(pair?.key);
      const [, to] = rangeOf(pair?.value);
      if (pair !== undefined) return { from, to, text: observed };
      const lineStart = content.lastIndexOf("\n", row.range?.[0]) + 1;
      const indent = /^ */.exec(content.slice(lineStart))?.[0].length ?? 0;
      const own = content
        .slice(0, end - "}".length)
        .trimEnd()
        .replace(/,$/, "");
      return { from: own.length, to: end, text: `,\n${" ".repeat(indent + 4)}${observed} }` };
    });
  return edits
    .toReversed()
    .reduce((all, { from, to, text }) => all.slice(0, from) + text + all.slice(to), content);
}

const rangeOf = (node: unknown): readonly [number, number] => {
  const { range } = Object(node);
  return Array.isArray(range) ? [range[0], range[1]] : [0, 0];
};

/** The rows and orders of a file, in the order of the text. */
function rowsIn(content: string): readonly YAMLMap[] {
  const { contents }: Document = parseDocument(content);
  const groups = isSeq(contents) ? contents.items.filter(isMap) : [];
  return groups.flatMap((group) => {
    const checks = group.get("checks");
    const lists = [...(isMap(checks) ? checks.items.map(({ value }) => value) : []), group.get("orders")];
    return lists.flatMap((list) => (isSeq(list) ? list.items.filter(isMap) : []));
  });
}
