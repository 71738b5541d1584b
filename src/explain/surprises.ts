import type { PlacedFault } from "../core/emulator/faults.ts";
import { type JournalEntry, recorded } from "../core/emulator/journal.ts";
import { isJsonObject } from "../core/general/json.ts";
import { type AnyCause, type CauseCode, cause, hasCode, withFurther } from "../core/schema/causes/causes.ts";
import { nameOfDatabase } from "../core/schema/fault.ts";
import { statusAt } from "../core/schema/processing.ts";
import { isOfCloud, type ReadableRecords } from "../core/store/records.ts";

/** @param hasFound - whether a query of the test has found a target. */
type Remark = (
  body: Readonly<Record<string, unknown>>,
  entry: JournalEntry,
  hasFound: boolean,
) => AnyCause | undefined;

const whileProcessing: Remark = (body) =>
  body.status === "processing" ? cause("status.processing") : undefined;

const uncounted = (body: Readonly<Record<string, unknown>>, hasFound: boolean, by: string) =>
  hasFound && body.current_month_recos === 0 ? cause("counts.unset", { by }) : undefined;

/** What a test may not expect of a response that is right, by operation. */
const REMARKS: Partial<Record<NonNullable<JournalEntry["operation"]>, Remark>> = {
  getTarget: whileProcessing,
  targetSummary: (body, entry, hasFound) =>
    whileProcessing(body, entry, hasFound) ?? uncounted(body, hasFound, "mock.setRecognitionCounts()"),
  databaseSummary: (body, _entry, hasFound) => {
    const { processing_images: images } = body;
    if (typeof images !== "number" || images === 0) return uncounted(body, hasFound, "mock.updateDatabase()");
    return cause("summary.processing", { targets: images });
  },
  query: ({ results }, { considered = [] }) => {
    if (!Array.isArray(results)) return undefined;
    const matched = considered.filter((target) => target.matched).length;
    const [first, second] = results.map((result: unknown) => isJsonObject(result) && "target_data" in result);
    const [remark, ...further] = [
      ...(matched > results.length ? [cause("results.fewer", { matched, results: results.length })] : []),
      ...(first === true && second === false ? [cause("results.data")] : []),
    ];
    return remark && withFurther(remark, ...further);
  },
};

/** The entry, with a remark as its cause, if a test may not expect its response. */
export function withRemark(entry: JournalEntry, hasFound: boolean): JournalEntry | undefined {
  const { operation, response, cause: known, refusedBy, fault } = entry;
  const remark = operation && REMARKS[operation];
  const isPlain = [known, refusedBy, fault].every((each) => each === undefined);
  const body = isPlain && remark !== undefined ? response?.body.json : undefined;
  const said = isJsonObject(body) ? remark?.(body, entry, hasFound) : undefined;
  return said === undefined ? undefined : recorded({ ...entry, cause: said });
}

/** Says that a fault applied to no request, and which request came nearest. */
export function explainUnused({ fault, addedAt }: PlacedFault, requests: readonly JournalEntry[]): string {
  const { api, operation, database, when, probability = 1 } = fault;
  const operations: readonly unknown[] | undefined = operation === undefined ? undefined : [operation].flat();
  const name = nameOfDatabase(database);
  const wanted = [operations?.join(" or ") ?? api, name && `database ${JSON.stringify(name)}`];
  const conditions = wanted.filter((each) => each !== undefined).join(", ");
  const where = addedAt === undefined ? "" : ` that was added at ${addedAt}`;
  const what = `The fault${where}${conditions === "" ? "" : ` (for ${conditions})`} applied to no request`;
  const near = requests.filter(
    (entry) => (operations?.includes(entry.operation) ?? true) && (api === undefined || entry.api === api),
  );
  const nearest = near.findLast((entry) => name === undefined || entry.database === name) ?? near.at(-1);
  if (nearest === undefined) {
    const received = [
      ...new Set(requests.map((entry) => entry.operation ?? `${entry.method} ${entry.path}`)),
    ];
    return `${what}: the mock received only ${received.slice(-MOST_NAMED).join(", ")}.`;
  }
  const { number, method, path } = nearest;
  const why =
    name !== undefined && nearest.database !== name
      ? `was signed with keys of ${nearest.database === undefined ? "no database" : `the database ${JSON.stringify(nearest.database)}`}`
      : when !== undefined
        ? "came before it, or its `when` returned false"
        : probability < 1
          ? "came before it, or its probability spared it"
          : "came before it, or got another fault";
  return `${what}: the nearest, #${number} ${method} ${path}, ${why}.`;
}

/** The databases with rate limits, and the lowest number of requests of each. */
export const limitsIn = (databases: Databases) =>
  databases.filter(isOfCloud).flatMap(({ database }) => {
    const { databaseName, requestsPerSecondLimit, requestRateLimits } = database;
    const limits = Object.values({ ...requestRateLimits }).flatMap((limit) => limit?.maxRequests ?? []);
    const all = [...limits, ...(requestsPerSecondLimit === null ? [] : [requestsPerSecondLimit])];
    return all.length === 0 ? [] : [{ database: databaseName, requests: Math.min(...all) }];
  });

/** Says that rate limits do not concern queries, of which a test sent more than a limit allows. */
export function explainUnlimited(
  limits: ReturnType<typeof limitsIn>,
  requests: readonly JournalEntry[],
): readonly string[] {
  if (requests.some(({ cause: known }) => hasCode(known, (code) => code === "rate.reached"))) return [];
  return limits.flatMap((limit) => {
    const queries = requests.filter(
      ({ operation, database, status }) =>
        operation === "query" && database === limit.database && status === 200,
    );
    if (queries.length <= limit.requests) return [];
    return [
      `The rate limits of the database ${JSON.stringify(limit.database)} are of the target API: ` +
        "to refuse queries, add a fault with the status 429.",
    ];
  });
}

const MOST_NAMED = 5;

/** A call of `finishProcessing()`. */
export interface FinishCall {
  /** Where it is in the test. */
  readonly calledAt: string | undefined;
  /** The ids of the targets that it knew. */
  readonly known: ReadonlySet<string>;
}

/** The latest call of `finishProcessing()`, and the targets that came after it. */
export type Finish = ReturnType<typeof targetsAfter>;

type Databases = readonly ReadableRecords[];

const targetsOf = (databases: Databases) => databases.flatMap((records) => records.listTargets());

export const idsOfTargets = (databases: Databases): ReadonlySet<string> =>
  new Set(targetsOf(databases).map(({ targetId }) => targetId));

/** How many targets are processing. */
export const countProcessing = (databases: Databases, now: number): number =>
  targetsOf(databases).filter((target) => statusAt(target, now) === "processing").length;

/** The targets that were added after `finishProcessing()`, which therefore did not end their processing. */
export function targetsAfter(
  { calledAt, known }: FinishCall,
  databases: Databases,
  datasets: readonly unknown[],
  now: number,
) {
  const targets = targetsOf(databases);
  const late = targets.filter(
    (target) => !known.has(target.targetId) && !target.processed && target.processingTimeSeconds > 0,
  );
  return {
    calledAt,
    isLate: late.length > 0,
    isProcessing: late.some((target) => statusAt(target, now) === "processing"),
    foundNothing:
      targets.length === 0 &&
      datasets.length === 0 &&
      databases.every(({ database }) => database?.kind !== "vumark"),
  };
}

/** Causes of what is still processing. */
const OF_PROCESSING: readonly CauseCode[] = [
  "target.processing",
  "target.waiting",
  "target.status",
  "status.processing",
  "summary.processing",
  "duplicates.passed-over",
  "dataset.training",
];
const isOfProcessing = (code: CauseCode): boolean => OF_PROCESSING.includes(code);

export const isAboutProcessing = ({ cause: known, considered = [] }: JournalEntry): boolean =>
  hasCode(known, isOfProcessing) || considered.some(({ code }) => isOfProcessing(code));

/**
 * Says that `finishProcessing()` was called before the adds whose processing the test expects to be over.
 *
 * @param isAdding - whether an add has no response yet.
 * @param isProcessingMet - whether a request met a target that is processing: otherwise, it is not why the test failed.
 */
export function explainEarlyFinish(
  finish: Finish,
  isAdding: boolean,
  isProcessingMet: boolean,
): string | undefined {
  const isMet = finish.isLate && (finish.isProcessing || isProcessingMet);
  if (!isMet && !isAdding) return undefined;
  return `mock.finishProcessing() was called${placeOf(finish)} before a target was added: await the add first.`;
}

/** Says that `finishProcessing()` was called before any request arrived, and found nothing to end. */
export const explainUselessFinish = (finish: Finish): string | undefined =>
  finish.foundNothing
    ? `mock.finishProcessing() was called${placeOf(finish)} before anything was added: await the add first.`
    : undefined;

const placeOf = ({ calledAt }: Finish): string => (calledAt === undefined ? "" : ` at ${calledAt},`);
