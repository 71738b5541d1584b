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

/** A failure in the words of the API that the request was sent to: its envelope, its headers, its encoding. */
export interface ResultCodeAnswer {
  /** One of the service's result codes, or any text if `status` is given. */
  readonly resultCode: ResultCode | (string & {});
  /** Default: the status that the service sends with this code. */
  readonly status?: number;
}

/** A fault in use. */
export interface FaultHandle extends Disposable {
  /** How many requests it was applied to. */
  readonly timesApplied: number;
  /** Ends the fault; does nothing when it has ended. */
  remove(): void;
}

/** Something that goes wrong on request: which requests it concerns, and what happens to them instead. */
export interface Fault {
  /** The API that is asked. */
  readonly api?: Service;
  /** One operation, or several. */
  readonly operation?: Operation | readonly Operation[];
  /** The database whose keys the request names, or its name. */
  readonly database?: DatabaseOrName;
  /** Called with requests that all else fits; true: the fault concerns it. */
  readonly when?: (request: FaultRequest) => boolean;

  /** What the client gets: a response, exactly as given, or a result code. The request is not carried out. */
  readonly answer?: ConfiguredResponse | ResultCodeAnswer;
  /** The client gets no answer: its connection is cut (`ECONNRESET`). The request is not carried out. */
  readonly cutConnection?: boolean;
  /** With `answer` or `cutConnection`: the request is carried out all the same, and only its answer is lost. */
  readonly carriedOut?: boolean;
  /** The answer, whichever it is, comes that much later, in seconds, beside `responseDelaySeconds`. */
  readonly delaySeconds?: number;

  /** How many requests it is applied to at most, 1 or more. Default: all. */
  readonly times?: number;
  /** With which probability it is applied, 0 to 1; drawn from the mock's `seed`. Default 1. */
  readonly probability?: number;
}

const answer = z.lazy(() => {
  const resultCode = record<ResultCodeAnswer>({ resultCode: text, ...optional({ status: responseStatus }) });
  return kind(
    "{ status, headers, body } or { resultCode }",
    z.union([record<ConfiguredResponse>(configuredResponse), resultCode]),
  );
});

const replacesAnswer = ({ answer, cutConnection }: Fault): boolean =>
  answer !== undefined || cutConnection === true;

const fault = z.lazy(() =>
  record<Fault>(
    optional({
      api: service,
      operation: kind(`one or a list of ${wordsOf(operation)}`, z.union([operation, z.array(operation)])),
      database: databaseOrName,
      when: aFunction<NonNullable<Fault["when"]>>("(request) => boolean"),
      answer,
      cutConnection: flag,
      carriedOut: flag,
      delaySeconds: seconds,
      times: wholeNumberFrom(1),
      probability: fromZeroToOne,
    }),
  ).check(
    z.refine(({ answer, cutConnection }) => answer === undefined || cutConnection !== true, {
      path: ["cutConnection"],
      params: { given: "true beside an answer" },
      error: "either an answer or a cut connection",
    }),
    z.refine((given) => replacesAnswer(given) || (given.delaySeconds ?? 0) > 0, {
      params: { given: "none of them" },
      error: "answer, cutConnection or delaySeconds",
    }),
    z.refine((given) => replacesAnswer(given) || given.carriedOut !== true, {
      path: ["carriedOut"],
      params: { given: "true alone" },
      error: "answer or cutConnection beside it",
    }),
  ),
);

/**
 * Adds a fault.
 *
 * @throws as {@link faultRule}.
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

/**
 * The rule that a fault describes.
 *
 * @throws InvalidOptionError naming a field that is not accepted, or what is missing for the fault to do anything.
 */
function faultRule(given: Fault): FaultRule {
  const checkedFault = checked("fault", fault, given);
  const {
    answer,
    cutConnection = false,
    carriedOut = false,
    delaySeconds = 0,
    times,
    probability,
  } = checkedFault;
  return {
    origin: "addFault",
    matches: matcherOf(checkedFault),
    effect: effectOf(checkedFault),
    resetConnection: cutConnection,
    executed: carriedOut,
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
  const expected = "a result code of the service, or a status beside it";
  throw new InvalidOptionError("fault.answer.resultCode", JSON.stringify(code), expected);
}

function effectOf({ answer, cutConnection, carriedOut, delaySeconds = 0 }: Fault): string {
  const answered =
    answer !== undefined && "resultCode" in answer
      ? `${statusOf(answer)} ${answer.resultCode}`
      : answer?.status;
  return [
    ...(answered === undefined ? [] : [`answered with ${answered}`]),
    ...(cutConnection ? ["the connection was cut"] : []),
    ...(delaySeconds > 0 ? [`the answer came ${delaySeconds} s later`] : []),
    ...(carriedOut ? ["the request was carried out"] : []),
  ].join(", ");
}
