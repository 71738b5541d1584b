import * as z from "zod/mini";
import {
  type ConfiguredResponse,
  jsonResponse,
  type ResultCodeResponse,
  response,
  responseStatus,
  statusOf,
  writtenBody,
} from "./fault-response.ts";
import {
  API_NAMES,
  type ApiName,
  isOperation,
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
} from "./protocol.ts";
import { checked, nearest } from "./zod/problems.ts";
import { optional, record } from "./zod/record.ts";
import {
  aFunction,
  deferred,
  fromZeroToOne,
  headers,
  kind,
  list,
  listOf,
  oneOf,
  orNull,
  seconds,
  text,
  trueOrFalse,
  wholeNumber,
  wholeNumberFrom,
  wordsOf,
} from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/** A request as the `when` of a fault sees it. */
export interface FaultRequest {
  /** The API that the request is sent to. */
  readonly api: ApiName;
  /** Undefined when no operation has that method and path. */
  readonly operation: Operation | undefined;
  /** Name of the database whose keys the request uses, if known. */
  readonly database: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
  /** Query string without its `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; empty when there is none. */
  readonly body: Buffer;
}

/** A database, or its name. */
export type DatabaseOrName =
  | string
  | {
      /** Name of the database. */
      readonly databaseName: string;
    };

/** What a fault does to a request. */
interface FaultEffects {
  /** Responds with exactly this response, or with this result code, without executing the request. */
  readonly response?: ConfiguredResponse | ResultCodeResponse;
  /** Resets the client's connection (`ECONNRESET`) without executing the request. */
  readonly resetConnection?: boolean;
  /** With `response` or `resetConnection`: executes the request and discards only its response. Default false. */
  readonly executed?: boolean;
  /** Delays the response by this many seconds, 0 or more, in addition to `responseDelaySeconds`. */
  readonly delaySeconds?: number;
}

/**
 * A failure to inject: which requests it matches, what happens to them, and how often. All conditions must match. Requests to the
 * target manager match only when `api` or `operation` names it. Set at least one of `response`, `resetConnection` and
 * `delaySeconds`.
 *
 * @example mock.addFault({ operation: "query", delaySeconds: 30, times: 1 });
 */
export interface Fault extends FaultEffects {
  /** The requested API. Default: all but the target manager, or that of `operation`. */
  readonly api?: ApiName;
  /** The requested operation, or several. */
  readonly operation?: Operation | readonly Operation[];
  /** The database that the request's access key belongs to, or its name. */
  readonly database?: DatabaseOrName;
  /**
   * Called with each request that all other conditions match; the fault matches if it returns true. If it throws or returns no
   * boolean, such as a promise, the request fails.
   */
  readonly when?: (request: FaultRequest) => boolean;
  /** Number of requests to apply the fault to, 1 or more; then the fault is removed. Default: no limit. */
  readonly times?: number;
  /** Probability that the fault is applied to a matching request, 0 to 1, decided by the mock's `seed`. Default 1. */
  readonly probability?: number;
}

export interface AddedFault {
  readonly id: string;
  readonly api: ApiName | null;
  readonly operation: readonly Operation[] | null;
  readonly database: string | null;
  /** Whether it also has a `when` function, which JSON cannot show. */
  readonly hasWhen: boolean;
  readonly response: Required<ConfiguredResponse> | Required<ResultCodeResponse> | null;
  readonly resetConnection: boolean;
  readonly executed: boolean;
  readonly delaySeconds: number;
  readonly times: number | null;
  readonly probability: number;
  readonly timesApplied: number;
}

export function addedFault(id: string, fault: Fault, timesApplied: number): AddedFault {
  const { api = null, operation = null, database, when, response = null, times = null } = fault;
  const { resetConnection = false, executed = false, delaySeconds = 0, probability = 1 } = fault;
  const name = nameOfDatabase(database);
  return {
    id,
    api,
    operation: typeof operation === "string" ? [operation] : operation,
    database: typeof name === "string" ? name : null,
    hasWhen: when !== undefined,
    response: response && completeResponse(response),
    resetConnection,
    executed,
    delaySeconds,
    times,
    probability,
    timesApplied,
  };
}

const completeResponse = (response: NonNullable<Fault["response"]>): AddedFault["response"] =>
  "resultCode" in response
    ? { resultCode: response.resultCode, status: statusOf(response) }
    : { headers: {}, body: "", ...response };

export const operation = kind(
  OPERATION_NAMES,
  z.custom<Operation>(isOperation, {
    error: ({ input }) => (typeof input === "string" ? nearest(input, OPERATIONS) : undefined),
    params: { suggests: true },
  }),
  { type: "string" },
);
export const apiName = oneOf(...API_NAMES);
export const databaseOrName = kind(
  "a database or its name",
  z.custom<DatabaseOrName>((value) => typeof nameOfDatabase(value) === "string"),
);

export function nameOfDatabase(database: unknown): unknown {
  if (typeof database !== "object" || database === null) return database;
  return "databaseName" in database ? database.databaseName : undefined;
}

const plainFields = {
  api: apiName,
  operation: deferred(`one or a list of ${wordsOf(operation)}`, () => z.union([operation, list(operation)])),
  resetConnection: trueOrFalse,
  executed: trueOrFalse,
  delaySeconds: seconds,
  times: wholeNumberFrom(1),
  probability: fromZeroToOne,
};

const replacesResponse = ({ response, resetConnection }: FaultEffects): boolean =>
  response !== undefined || resetConnection === true;

/** Checks that a fault has an effect and no conflicting fields. `reset` and `delay` are the fields' names, for messages. */
const withEffect = <F extends FaultEffects>(
  schema: z.ZodMiniType<F>,
  reset = "resetConnection",
  delay = "delaySeconds",
): z.ZodMiniType<F> =>
  schema.check(
    z.refine(({ response, resetConnection }) => response === undefined || resetConnection !== true, {
      path: [reset],
      params: { given: "both" },
      error: `either response or ${reset}`,
    }),
    z.refine((given) => replacesResponse(given) || (given.delaySeconds ?? 0) > 0, {
      params: { given: "none" },
      error: `response, ${reset} or ${delay}`,
    }),
    z.refine((given) => replacesResponse(given) || given.executed !== true, {
      path: ["executed"],
      params: { given: "true alone" },
      error: `to be used with response or ${reset}`,
    }),
  );

/** `mock.addFault(fault)`. */
export const fault = z.lazy(() =>
  withEffect(
    record<Fault>(
      optional({
        ...plainFields,
        database: databaseOrName,
        when: aFunction<NonNullable<Fault["when"]>>("(request) => boolean"),
        response,
      }),
    ),
  ),
);

const jsonFields = { ...plainFields, database: text, response: jsonResponse };
const names = { database: "database_name" };

export const faultJson = wireForm(
  z.lazy(() =>
    record<AddedFault>({
      ...plainFields,
      id: text,
      api: orNull(apiName),
      operation: orNull(listOf(operation)),
      database: orNull(text),
      hasWhen: trueOrFalse,
      response: z.nullable(
        z.union([
          record<Required<ConfiguredResponse>>({ status: responseStatus, headers, body: writtenBody }),
          record<Required<ResultCodeResponse>>({ resultCode: text, status: responseStatus }),
        ]),
      ),
      times: orNull(wholeNumberFrom(1)),
      timesApplied: wholeNumber,
    }),
  ),
  { names },
);

export const postedFault = wireForm(
  z.lazy(() =>
    withEffect(
      record<Omit<Fault, "when" | "database"> & { readonly database?: string }>(optional(jsonFields)),
      "reset_connection",
      "delay_seconds",
    ),
  ),
  { names, resource: faultJson },
);

/** A fault without its function, as JSON that {@link faultFromJson} reads. */
export function faultToJson({ when, database, ...fault }: Fault): unknown {
  const name = nameOfDatabase(database);
  return postedFault.write({ ...fault, ...(typeof name === "string" && { database: name }) });
}

/** @throws InvalidOptionError when it is no fault. */
export const faultFromJson = (json: unknown): Fault => checked("fault", postedFault.schema, json);
