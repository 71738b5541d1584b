import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import { FACT_APIS, type KNOWN_BY, NEEDED_TARGETS, NEEDS } from "./engine/fact.ts";

/*
 * The schema of the YAML files, and their content. Unknown keys are refused. README.md describes each key.
 */

const text = z.string();
const words = text.min(1);
const textOrNull = z.nullable(text);
/** JSON, in which keys that begin with `$` stand for values that are made. */
const json = z.unknown();
const fields = z.record(text, json);

const sendSchema = z.strictObject({
  method: words.optional(),
  path: text.optional(),
  parameters: z.record(text, textOrNull).optional(),
  headers: z.record(text, json).optional(),
  type: textOrNull.optional(),
  date: z.union([textOrNull, z.strictObject({ minutes: z.number() })]).optional(),
  secret: text.optional(),
  length: text.optional(),
  body: json.optional(),
  json: json.optional(),
  fields: fields.optional(),
  without: z.array(text).optional(),
  image: json.optional(),
  filename: z.null().optional(),
  part_headers: text.optional(),
  form: z.array(z.union([z.tuple([text, text]), z.tuple([text, text, z.int()])])).optional(),
  boundary: text.optional(),
  offers_http2: z.literal(true).optional(),
  moment: z.strictObject({ second: z.int(), quiet: z.boolean().optional() }).optional(),
});
export type RequestChange = z.infer<typeof sendSchema>;

/** How a row is known; without any of these it is assumed, because nobody attempted it. */
const WHY_ASSUMED = /^(never attempted|(temporarily|inherently) unverifiable|similar): \S|^never attempted$/;
const evidence = {
  observed: text
    .regex(/^\S.* @\d{4}-\d{2}(-\d{2})?$/, "expected a public source and its date: name @2026-09")
    .optional(),
  documented: words.optional(),
  specified: words.optional(),
  assumed: text
    .regex(WHY_ASSUMED, "expected why: never attempted, … unverifiable: …, or similar: …")
    .optional(),
} satisfies Record<(typeof KNOWN_BY)[number], z.ZodType>;
const isKnownOnce = (row: object): boolean => Object.keys(evidence).filter((key) => key in row).length <= 1;
const KNOWN_ONCE = "expected one of observed, documented, specified and assumed";

const settings = fields;
const situation = {
  needs: z.enum(NEEDS).optional(),
  uses: z.nullable(z.enum(NEEDED_TARGETS)).optional(),
  alongside: z.literal("processed").optional(),
  database: z.nullable(settings).optional(),
  is_usual: z.literal(true).optional(),
  template: z
    .nullable(z.strictObject({ database: settings.optional(), target: settings.optional() }))
    .optional(),
  before: z.nullable(z.array(z.strictObject({ route: words, send: sendSchema.optional() }))).optional(),
  keys: z.literal("user").optional(),
  over_tls: z.literal(true).optional(),
  again: z.strictObject({ status: z.int().optional(), processing: z.literal(true).optional() }).optional(),
  continued: z.literal(true).optional(),
  fetch: z.literal(false).optional(),
  protocol: words.optional(),
  values: fields.optional(),
};

const oneAnswer = z.strictObject({
  status: z.int(),
  head: words.optional(),
  type: words.optional(),
  headers: z.record(text, text).optional(),
  body: text.optional(),
  findings: z.array(text).optional(),
});
const answer = z.union([words, oneAnswer]);
const answerSchema = z.union([answer, z.strictObject({ neutral: answer, vuforia: answer })]);
export type Answer = z.infer<typeof answerSchema>;
export type OneAnswer = z.infer<typeof answer>;

const id = text.regex(/^(target|query|model-target)-[a-z0-9-]+$/);
const rowSchema = z
  .strictObject({
    id,
    route: words,
    with: words.optional(),
    says: words.optional(),
    send: sendSchema.optional(),
    get: answerSchema,
    ...situation,
    ...evidence,
  })
  .refine((row) => (row.with === undefined) !== (row.says === undefined), "expected with, or says")
  .refine(isKnownOnce, KNOWN_ONCE);
const orderSchema = z
  .strictObject({
    id,
    route: words,
    of: z.tuple([id, id]),
    send: sendSchema.optional(),
    get: answerSchema.optional(),
    any_connection: z.literal(true).optional(),
    ...evidence,
  })
  .refine(isKnownOnce, KNOWN_ONCE);

const groupSchema = z.strictObject({
  api: z.enum(FACT_APIS),
  about: words.optional(),
  each: z.strictObject(situation).optional(),
  checks: z.record(text, z.array(rowSchema)),
  orders: z.array(orderSchema).optional(),
});

const routeSchema = z.strictObject({
  send: text.regex(/^[A-Z]+ \//),
  signed: z.enum(["server", "client"]).optional(),
  headers: z.record(text, text).optional(),
  fields: fields.optional(),
  form: z.literal(true).optional(),
  uses: z.enum(["processed", "own"]).optional(),
  database: settings.optional(),
  needs: z.enum(["reading", "writing"]),
  /** The answer that costs a training. */
  spends_for: words.optional(),
});
export type Route = z.infer<typeof routeSchema>;

/** What placeholders of answers stand for under a profile. Runs read two of them. */
const profileWords = z.object({ region: words, parameter: words }).catchall(text);
const answersSchema = z.strictObject({
  profiles: z.strictObject({ neutral: profileWords, vuforia: profileWords }),
  heads: z.record(text, z.array(z.record(text, text))),
  codes: z.record(z.enum(FACT_APIS), text),
  named: z.record(text, answerSchema),
});

type Row = z.infer<typeof rowSchema>;
type Order = z.infer<typeof orderSchema>;
export type Group = z.infer<typeof groupSchema>;

/** Reads rows, and refuses what the schema does not know. */
function read<Schema extends z.ZodType>(name: string, schema: Schema): z.infer<Schema> {
  const content: unknown = parse(readFileSync(new URL(name, import.meta.url), "utf8"), { merge: true });
  return valid(name, schema, content);
}

function valid<Schema extends z.ZodType>(name: string, schema: Schema, content: unknown): z.infer<Schema> {
  const found = schema.safeParse(content);
  if (found.success) return found.data;
  throw new Error(`${name}: ${z.prettifyError(found.error)}`);
}

export const ROUTES: Readonly<Record<string, Route>> = read("routes.yaml", z.record(text, routeSchema));
export const ANSWERS = read("answers.yaml", answersSchema);
export const parseGroups = (name: string, content: unknown): readonly Group[] =>
  valid(name, z.array(groupSchema), content);

export const GROUPS: readonly Group[] = readdirSync(new URL("rows/", import.meta.url))
  .sort()
  .flatMap((name) => read(`rows/${name}`, z.array(groupSchema)));

/** The check of rows that none refuses. */
const SERVED = "served";

/** A row with what its group says, and the check that refuses its request. */
export interface PlacedRow extends Omit<Row, "with" | "says"> {
  readonly api: Group["api"];
  readonly about: string | undefined;
  readonly words: string;
  /** Whether the words are a whole sentence, or continue one. */
  readonly isSaid: boolean;
  readonly check: string | undefined;
  /** Of an order: which check comes before which. */
  readonly comesBefore?: string;
  readonly any_connection?: Order["any_connection"];
}

const placed = ({ api, about, each, checks, orders = [] }: Group): readonly PlacedRow[] => {
  const rows = Object.entries(checks).flatMap(([check, own]) =>
    own.map(({ with: special, says, ...row }): PlacedRow => {
      const given = { ...each, ...row, api, about, words: says ?? special ?? "", isSaid: says !== undefined };
      return { ...given, check: check === SERVED ? undefined : check };
    }),
  );
  const find = (wanted: string): PlacedRow => {
    const found = rows.find((row) => row.id === wanted);
    if (found === undefined) throw new Error(`no row ${wanted}`);
    return found;
  };
  return [...rows, ...orders.map((order) => joined(order, find(order.of[0]), find(order.of[1])))];
};

/** A request that two checks refuse is answered as by the first one. */
function joined({ of: _, ...own }: Order, first: PlacedRow, second: PlacedRow): PlacedRow {
  const database = { ...second.database, ...first.database };
  const isOther = first.database !== undefined || second.database !== undefined;
  return {
    ...withoutEvidence({ ...second, ...first }),
    ...own,
    get: own.get ?? first.get,
    send: joinedSends(own.send, first.send, second.send),
    ...(isOther && { database }),
    words: `${first.words} and ${second.words}`,
    comesBefore: `${first.check} comes before ${second.check}`,
  };
}

function withoutEvidence({
  observed,
  documented,
  specified,
  assumed,
  ...row
}: PlacedRow): Omit<PlacedRow, keyof typeof evidence> {
  return row;
}

/** Joins changes of one request; the first ones win. */
function joinedSends(...sends: readonly (RequestChange | undefined)[]): RequestChange {
  const all = sends.flatMap((send) => (send === undefined ? [] : [send])).reverse();
  const merged: RequestChange = Object.assign({}, ...all);
  const fields = Object.assign({}, ...all.map((send) => send.fields));
  const headers = Object.assign({}, ...all.map((send) => send.headers));
  const form = all.flatMap((send) => send.form ?? []);
  const left = all.flatMap((send) => send.without ?? []);
  return { ...merged, fields, headers, form, without: left };
}

export const ROWS: readonly PlacedRow[] = GROUPS.flatMap(placed);

/** What the checks of one API refuse, by check and in the order of the checks: the groups with orders. */
export const refusalsOf = (api: Group["api"]): Readonly<Record<string, readonly PlacedRow[]>> => {
  const group = GROUPS.find((one) => one.api === api && one.orders !== undefined);
  if (group === undefined) throw new Error(`no orders of the ${api} API`);
  const checks = Object.keys(group.checks).filter((check) => check !== SERVED);
  return Object.fromEntries(
    checks.map((check) => [check, placed({ ...group, orders: [] }).filter((row) => row.check === check)]),
  );
};
