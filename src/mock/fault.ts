import * as z from "zod/mini";
import type { FaultRequest, FaultRule, Faults } from "../core/faults.ts";
import type { ConfiguredResponse } from "../core/message.ts";
import type { Operation, Service } from "../core/operation-names.ts";
import { RESULT_CODES, type ResultCode } from "../core/result-codes.ts";
import { checked, InvalidOptionError } from "../schema/kernel/problems.ts";
import { optional, record } from "../schema/kernel/record.ts";
import {
  aFunction,
  flag,
  fromZeroToOne,
  kind,
  seconds,
  text,
  wholeNumberFrom,
  wordsOf,
} from "../schema/kernel/values.ts";
import { configuredResponse, responseStatus } from "./options.ts";
import { type DatabaseOrName, databaseOrName, nameOfDatabase, operation, service } from "./request-filter.ts";

/** A failure in the format of the requested API: its body, headers and encoding. */
export interface ResultCodeAnswer {
  /** One of the service's result codes, or any text together with `status`. */
  readonly resultCode: ResultCode | (string & {});
  /** HTTP status, 200 to 599. Default: the status that the service sends with this result code. */
  readonly status?: number;
}

/**
 * An active fault.
 *
 * @example
 * using fault = mock.addFault({ resetConnection: true });
 * expect(fault.timesApplied).toBe(1);
 */
export interface FaultHandle extends Disposable {
  /** How many requests the fault has been applied to. */
  readonly timesApplied: number;
  /** Removes the fault. Does nothing when it was already removed. */
  remove(): void;
}

/**
 * A failure to inject: which requests it matches, what happens to them, and how often. All conditions must match; without any,
 * every request matches. Set at least one of `answer`, `resetConnection` and `delaySeconds`.
 *
 * @example mock.addFault({ operation: "query", delaySeconds: 30, times: 1 });
 */
export interface Fault {
  /** The requested API. */
  readonly api?: Service;
  /** The requested operation, or several. */
  readonly operation?: Operation | readonly Operation[];
  /** The database that the request's access key belongs to, or its name. */
  readonly database?: DatabaseOrName;
  /** Called with each request that all other conditions match; the fault matches if it returns true. */
  readonly when?: (request: FaultRequest) => boolean;

  /** Responds with exactly this response, or with this result code, without executing the request. */
  readonly answer?: ConfiguredResponse | ResultCodeAnswer;
  /** Resets the client's connection (`ECONNRESET`) without executing the request. */
  readonly resetConnection?: boolean;
  /** With `answer` or `resetConnection`: executes the request and discards only its response. Default false. */
  readonly executed?: boolean;
  /** Delays the response by this many seconds, 0 or more, in addition to `responseDelaySeconds`. */
  readonly delaySeconds?: number;

  /** Largest number of requests to apply the fault to, 1 or more. Default: no limit. */
  readonly times?: number;
  /** Probability that the fault is applied to a matching request, 0 to 1, drawn from the mock's `seed`. Default 1. */
  readonly probability?: number;
}

const answer = z.lazy(() => {
  const resultCode = record<ResultCodeAnswer>({ resultCode: text, ...optional({ status: responseStatus }) });
  return kind(
    "{ status, headers, body } or { resultCode }",
    z.union([record<ConfiguredResponse>(configuredResponse), resultCode]),
  );
});

const replacesAnswer = ({ answer, resetConnection }: Fault): boolean =>
  answer !== undefined || resetConnection === true;

const fault = z.lazy(() =>
  record<Fault>(
    optional({
      api: service,
      operation: kind(`one or a list of ${wordsOf(operation)}`, z.union([operation, z.array(operation)])),
      database: databaseOrName,
      when: aFunction<NonNullable<Fault["when"]>>("(request) => boolean"),
      answer,
      resetConnection: flag,
      executed: flag,
      delaySeconds: seconds,
      times: wholeNumberFrom(1),
      probability: fromZeroToOne,
    }),
  ).check(
    z.refine(({ answer, resetConnection }) => answer === undefined || resetConnection !== true, {
      path: ["resetConnection"],
      params: { given: "both" },
      error: "either answer or resetConnection",
    }),
    z.refine((given) => replacesAnswer(given) || (given.delaySeconds ?? 0) > 0, {
      params: { given: "none" },
      error: "answer, resetConnection or delaySeconds",
    }),
    z.refine((given) => replacesAnswer(given) || given.executed !== true, {
      path: ["executed"],
      params: { given: "true alone" },
      error: "to be used with answer or resetConnection",
    }),
  ),
);

/**
 * Adds a fault.
 *
 * @throws InvalidOptionError for an invalid field, or for a fault without any effect.
 */
export function createFault(faults: Faults, fault: Fault): FaultHandle {
  const added = faults.add(faultRule(fault));
  const remove = () => faults.remove(added);
  return {
    get timesApplied() {
      return added.applied;
    },
    remove,
    [Symbol.dispose]: remove,
  };
}

function faultRule(given: Fault): FaultRule {
  const checkedFault = checked("fault", fault, given);
  const {
    answer,
    resetConnection = false,
    executed = false,
    delaySeconds = 0,
    times,
    probability,
  } = checkedFault;
  return {
    origin: "addFault",
    matches: matcherOf(checkedFault),
    effect: effectOf(checkedFault),
    resetConnection,
    executed,
    delaySeconds,
    ...(answer !== undefined && { response: responseOf(answer) }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
  };
}

function matcherOf({ api, operation, database, when }: Fault): FaultRule["matches"] {
  const operations: readonly unknown[] | undefined = typeof operation === "string" ? [operation] : operation;
  const name = nameOfDatabase(database);
  return (request) =>
    (api === undefined || request.api === api) &&
    (operations === undefined || operations.includes(request.operation)) &&
    (name === undefined || request.database === name) &&
    (when === undefined || when(request));
}

function responseOf(answer: ConfiguredResponse | ResultCodeAnswer): NonNullable<FaultRule["response"]> {
  return "resultCode" in answer ? { resultCode: answer.resultCode, status: statusOf(answer) } : answer;
}

function statusOf({ resultCode: code, status }: ResultCodeAnswer): number {
  if (status !== undefined) return status;
  const known = Object.entries(RESULT_CODES).find(([name]) => name === code)?.[1];
  if (known !== undefined) return known.status;
  const expected = "a result code of the service, or any text together with status";
  throw new InvalidOptionError("fault.answer.resultCode", JSON.stringify(code), expected);
}

function effectOf({ answer, resetConnection, executed, delaySeconds = 0 }: Fault): string {
  const answered =
    answer !== undefined && "resultCode" in answer
      ? `${statusOf(answer)} ${answer.resultCode}`
      : answer?.status;
  return [
    ...(answered === undefined ? [] : [`answered with ${answered}`]),
    ...(resetConnection ? ["the connection was reset"] : []),
    ...(delaySeconds > 0 ? [`the response was delayed by ${delaySeconds} s`] : []),
    ...(executed ? ["the request was executed"] : []),
  ].join(", ");
}
