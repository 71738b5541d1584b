import { queryCauses } from "./queries.ts";
import { ROWS } from "./rooms.ts";
import type { CauseKind, Row } from "./row.ts";
import { realismCauses } from "./servers.ts";

/** Names what a person has to change. Codes are stable; sentences are not (decision 0013). */
export type CauseCode = keyof typeof ROWS;

type FactsOf<Code extends CauseCode> = (typeof ROWS)[Code] extends Row<infer Facts> ? Facts : never;
type ArgumentsOf<Code extends CauseCode> =
  object extends FactsOf<Code> ? [facts?: FactsOf<Code>] : [facts: FactsOf<Code>];

/** A cause with the type of its facts erased. */
export interface AnyCause {
  readonly kind: CauseKind;
  readonly code: CauseCode;
  /** Further mistakes of the same request. */
  readonly also?: readonly AnyCause[] | undefined;
}

/**
 * Why a request was refused, what is remarkable about its answer, or which fault was applied, as data. The facts beside `code`
 * are those that the sentence in `reason` names, without secrets. Values are as a sentence shows them: JSON, cut if long.
 *
 * @example if (cause?.code === "date.skewed") console.log(cause.given, cause.clock);
 */
export type Cause = {
  [Code in CauseCode]: {
    /** A refusal, a remark on an answer, or a fault. */
    readonly kind: CauseKind;
    /** What to change first. */
    readonly code: Code;
    /** Further mistakes of the same request. */
    readonly also?: readonly AnyCause[] | undefined;
  } & FactsOf<Code>;
}[CauseCode];

export const isCauseCode = (code: unknown): code is CauseCode =>
  typeof code === "string" && Object.hasOwn(ROWS, code);

/** Every answered query needs those of queries. The built package reads the others when a request is first refused. */
export const rowOf = (code: CauseCode): Row<never> => (isOfQueries(code) ? queryCauses[code] : ROWS[code]);

const isOfQueries = (code: CauseCode): code is keyof typeof queryCauses => Object.hasOwn(queryCauses, code);

/** Not for constants of a module, but for those of queries: the built core cannot read other codes while it loads (decision 0015). */
export const cause = <Code extends CauseCode>(code: Code, ...[facts]: ArgumentsOf<Code>): AnyCause => ({
  kind: rowOf(code).kind,
  code,
  ...facts,
});

export const withFurther = (first: AnyCause, ...further: readonly AnyCause[]): AnyCause => {
  const also = [...(first.also ?? []), ...further.flatMap(({ also = [], ...own }) => [own, ...also])];
  return also.length === 0 ? first : { ...first, also };
};

export const isOfRealism = (code: CauseCode): boolean => Object.hasOwn(realismCauses, code);

/** Whether a cause, or one of its further ones, has a code. */
export const hasCode = (given: AnyCause | undefined, isWanted: (code: CauseCode) => boolean): boolean =>
  given !== undefined && [given, ...(given.also ?? [])].some(({ code }) => isWanted(code));

/**
 * Renders a cause: the only place where sentences are made.
 *
 * @param isShort - without what the page shows in another way.
 */
export function sentenceOf(given: AnyCause, isShort = false): string {
  const { code, also = [] } = given;
  const { join } = rowOf(code);
  if (join === undefined) return [given, ...also].map(own).join("; ");
  const isJoined = (each: AnyCause) => rowOf(each.code).join !== undefined;
  const facts = given as unknown as Readonly<Record<string, unknown>>;
  const joined = join([given, ...also.filter(isJoined)].map(own), facts, isShort);
  return [joined, ...also.filter((each) => !isJoined(each)).map(own)].join("; ");
}

const own = (given: AnyCause): string => rowOf(given.code).sentence(given as never);
