import type { Situation } from "./fact.ts";
import type { Draft, OperationName } from "./requests.ts";

/** What a refusal answers: a result code and a status, or a page or an empty body of the parts in front. */
export type TargetAnswer =
  | `${string} ${number}`
  | "long header"
  | 429
  | "empty 400"
  | "length"
  | "short body"
  | 408;

/** One way to break one row. */
export interface TargetBreak {
  readonly row: number;
  /** What is wrong with the request. */
  readonly what: string;
  readonly on: OperationName;
  readonly answer: TargetAnswer;
  readonly apply: (draft: Draft, at: Situation) => void;
  /** Settings of the database, on the wire. */
  readonly database?: Readonly<Record<string, unknown>>;
  readonly assumed?: boolean;
  /** The name is that of a target, which has to exist. */
  readonly isTaken?: boolean;
}

type Rest = readonly [
  row: number,
  what: string,
  on: OperationName,
  answer: TargetAnswer,
  apply: TargetBreak["apply"],
];

export const broken = (...[row, what, on, answer, apply]: Rest): TargetBreak => ({
  row,
  what,
  on,
  answer,
  apply,
});
export const inDatabase = (
  row: number,
  what: string,
  on: OperationName,
  answer: TargetAnswer,
  database: Readonly<Record<string, unknown>>,
): TargetBreak => ({ row, what, on, answer, apply: () => undefined, database });
export const header =
  (name: string, value: string | null): TargetBreak["apply"] =>
  (draft) => {
    draft.headers[name] = value;
  };
export const field =
  (name: string, value: unknown): TargetBreak["apply"] =>
  (draft) => {
    draft.fields = { ...draft.fields, [name]: value };
  };
/** A value that begins with the run's prefix. */
export const name =
  (value: (at: Situation) => string): TargetBreak["apply"] =>
  (draft, at) =>
    field("name", value(at))(draft, at);
export const bytes =
  (text: string, encoding: BufferEncoding = "utf8"): TargetBreak["apply"] =>
  (draft) => {
    draft.bytes = Buffer.from(text, encoding);
  };
export const without =
  (key: string): TargetBreak["apply"] =>
  (draft) => {
    draft.fields = Object.fromEntries(Object.entries(draft.fields ?? {}).filter(([other]) => other !== key));
  };
export const dated =
  (date: (at: Situation) => string): TargetBreak["apply"] =>
  (draft, at) => {
    draft.date = date(at);
  };
export const length =
  (value: string): TargetBreak["apply"] =>
  (draft) => {
    draft.contentLength = value;
  };
export const away =
  (minutes: number) =>
  ({ now }: Situation): string =>
    new Date(now.getTime() + minutes * 60_000).toUTCString();
export const padded = (at: Situation, characters: number, filler: string): string => {
  const start = at.named("");
  return start + filler.repeat(characters - start.length);
};
export const base64 = (value: Buffer | string): string => Buffer.from(value).toString("base64");
export const json = JSON.stringify;

export const UNAUTHENTICATED = "AuthenticationFailure 401";
