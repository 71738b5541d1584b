import type { HeaderList } from "../emulator/message.ts";
import type { Plan } from "./query-plan.ts";

/** The expected response, without `Content-Length`, encoding and region. */
export interface Expected {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** One way of failing one row of the query API's table. */
export interface QueryRow {
  readonly row: number;
  readonly what: string;
  readonly spoil: (plan: Plan, now: Date) => void;
  /** Settings of the database, on the wire. */
  readonly database?: Readonly<Record<string, unknown>>;
  readonly expected: Expected;
  /** Under the profile where the row is answered in another way. */
  readonly vuforia?: Expected;
  readonly assumed?: boolean;
  /** Rows that cannot fail in the same request. */
  readonly excludes?: readonly number[];
}

export const nginx = { Connection: "keep-alive", Server: "nginx", Date: "<date>" };
export const list = (headers: Readonly<Record<string, string>>): HeaderList => Object.entries(headers);

export const text = (
  status: number,
  contentType: string,
  body: string,
  more: Record<string, string> = {},
) => ({
  status,
  headers: list({ ...nginx, "Content-Type": contentType, ...more }),
  body,
});
export const json = (status: number, code: string, space = "", more: Record<string, string> = {}) =>
  text(status, "application/json", `{"transaction_id":${space}"<id>","result_code":"${code}"}`, more);
