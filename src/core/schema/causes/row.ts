/** Whether a check refused the request, the answer has a remark, or a fault was applied. */
export type CauseKind = "refusal" | "remark" | "fault";

/** What a code stands for. */
export interface Row<Facts extends object> {
  readonly kind: CauseKind;
  /** What happened, for the reference. */
  readonly happened: string;
  /** What happened to one request, and what to change, without a full stop. */
  readonly sentence: (facts: Facts) => string;
  readonly change: string;
  /** A request that gets it: a request line, then headers and a body that differ from those of a right request; or words. */
  readonly example: string;
  /** Default: further sentences follow after semicolons. */
  readonly join?: Join;
}

/**
 * Joins the sentences of all causes of a request.
 *
 * @param sentences - the first is that of the row.
 * @param isShort - without what the page shows in another way.
 */
export type Join = (
  sentences: readonly string[],
  facts: Readonly<Record<string, unknown>>,
  isShort: boolean,
) => string;

const rowOf =
  (kind: CauseKind) =>
  <Facts extends object = object>(
    happened: string,
    sentence: Row<Facts>["sentence"],
    change: string,
    example: string,
    join?: Join,
  ): Row<Facts> => ({ kind, happened, sentence, change, example, ...(join && { join }) });

export const refusal = rowOf("refusal");
export const remark = rowOf("remark");
export const fault = rowOf("fault");
