import { type Expected, type Fact, observed, type Situation } from "./fact.ts";
import { type Draft, draftOf, type OperationName, routeOf, signed } from "./requests.ts";
import { jsonHeaders } from "./target-facts.ts";

interface Answer extends Omit<Partial<Fact>, "id" | "api" | "sentence" | "request" | "expected"> {
  readonly id: string;
  readonly says: string;
  readonly on: OperationName;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly draft?: Partial<Draft>;
  readonly status?: number;
  readonly body: string | ((at: Situation) => string);
  /** What the response has besides. */
  readonly more?: Partial<Expected>;
}

/** A correct request and its answer: section by section, what comes back when no check refuses. */
export const success = ({
  id,
  says,
  on,
  fields,
  draft,
  status = 200,
  body,
  more,
  known = observed,
  ...rest
}: Answer): Fact => ({
  id: `target-${id}`,
  api: "target",
  sentence: `${routeOf(on)} ${says}.`,
  known,
  needs: on === "summary" || on === "list" ? "reading" : "writing",
  ...rest,
  request: (at) => {
    const right = draftOf(on, at);
    const all = fields === undefined ? right.fields : { ...right.fields, ...fields };
    return signed({ ...right, ...draft, ...(all !== undefined && { fields: all }) }, at);
  },
  expected: (at): Expected => ({
    status,
    headers: jsonHeaders(at.profile),
    body: typeof body === "string" ? body : body(at),
    ...more,
  }),
});

/** The body of a refusal. */
export const refused = (code: string): string => `{"transaction_id":"<id>","result_code":"${code}"}`;
