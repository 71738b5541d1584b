import type { FaultRequest, FaultRule } from "./faults/fault-rule.ts";
import type { Faults } from "./faults/faults.ts";
import { resultCodeReply } from "./faults/result-code-reply.ts";
import {
  type Acceptable,
  aBoolean,
  aFunction,
  anObject,
  checkShape,
  databaseOrName,
  headerValues,
  InvalidOptionError,
  nameOfDatabase,
  numberFromZeroToOne,
  oneOf,
  type Shape,
  seconds,
  someText,
  textOrBytes,
  wholeNumber,
} from "./option-values.ts";
import { type ConfiguredResponse, configuredReply } from "./responses/configured.ts";
import { RESULT_CODES, type ResultCode } from "./responses/result-codes.ts";
import { isOperation, OPERATION_NAMES, type Operation, SERVICES, type Service } from "./runtime/operation.ts";

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
  readonly database?:
    | string
    | {
        /** As the database was named. */
        readonly databaseName: string;
      };
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

const anOperation: Acceptable = {
  accepted: `one or a list of ${OPERATION_NAMES}`,
  accepts: (value): value is unknown =>
    isOperation(value) || (Array.isArray(value) && value.every(isOperation)),
};

const faultShape: Shape = {
  fields: {
    api: oneOf(...SERVICES),
    operation: anOperation,
    database: databaseOrName,
    when: aFunction("(request) => boolean"),
    answer: { accepted: "{ status, headers, body } or { resultCode }", accepts: anObject.accepts },
    cutConnection: aBoolean,
    carriedOut: aBoolean,
    delaySeconds: seconds,
    times: wholeNumber(1),
    probability: numberFromZeroToOne,
  },
};
const responseShape: Shape = {
  fields: { status: wholeNumber(200, 599), headers: headerValues, body: textOrBytes },
  required: ["status"],
};
const resultCodeShape: Shape = { fields: { resultCode: someText, status: wholeNumber(200, 599) } };

/**
 * Adds a fault.
 *
 * @throws as {@link faultRule}.
 */
export function addedFault(faults: Faults, fault: Fault): FaultHandle {
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
function faultRule(fault: Fault): FaultRule {
  checkShape("fault", fault, faultShape);
  const { answer, cutConnection = false, carriedOut = false, delaySeconds = 0 } = fault;
  if (answer !== undefined) {
    checkShape("fault.answer", answer, "resultCode" in answer ? resultCodeShape : responseShape);
  }
  const replaces = answer !== undefined || cutConnection;
  if (answer !== undefined && cutConnection) {
    throw new InvalidOptionError("fault.cutConnection", "true beside an answer", "one of the two");
  }
  if (!replaces && delaySeconds === 0) {
    throw new InvalidOptionError("fault", "nothing that it does", "answer, cutConnection or delaySeconds");
  }
  if (carriedOut && !replaces) {
    throw new InvalidOptionError("fault.carriedOut", "true alone", "it beside answer or cutConnection");
  }
  return {
    origin: "addFault",
    concerns: concernOf(fault),
    effect: effectOf(fault),
    cutConnection,
    carriedOut,
    delaySeconds,
    ...(answer !== undefined && { respond: respondWith(answer) }),
    ...(fault.times !== undefined && { times: fault.times }),
    ...(fault.probability !== undefined && { probability: fault.probability }),
  };
}

function concernOf({ api, operation, database, when }: Fault): FaultRule["concerns"] {
  const operations: readonly unknown[] | undefined = typeof operation === "string" ? [operation] : operation;
  const name = nameOfDatabase(database);
  return (request) =>
    (api === undefined || request.api === api) &&
    (operations === undefined || operations.includes(request.operation)) &&
    (name === undefined || request.database === name) &&
    (when === undefined || when(request));
}

function respondWith(answer: ConfiguredResponse | ResultCodeAnswer): NonNullable<FaultRule["respond"]> {
  if (!("resultCode" in answer)) return () => configuredReply(answer);
  const status = statusOf(answer);
  return (site) => resultCodeReply(site, answer.resultCode, status);
}

function statusOf({ resultCode: code, status }: ResultCodeAnswer): number {
  if (status !== undefined) return status;
  const known = Object.entries(RESULT_CODES).find(([name]) => name === code)?.[1];
  if (known !== undefined) return known.status;
  const accepted = "a result code of the service, or a status beside it";
  throw new InvalidOptionError("fault.answer.resultCode", JSON.stringify(code), accepted);
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
