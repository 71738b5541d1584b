import * as z from "zod/mini";
import { isJsonObject } from "../general/json.ts";
import { type Cause, type CauseCode, isCauseCode } from "./causes/causes.ts";
import { CODES } from "./causes/rooms.ts";
import { apiName } from "./fault.ts";
import { type ApiName, isOperation, type Operation } from "./protocol.ts";
import { nearest } from "./zod/problems.ts";
import { type FieldsOf, type NullIfAbsent, nullIfAbsent, record } from "./zod/record.ts";
import {
  anyText,
  deferred,
  described,
  kind,
  list,
  listOf,
  orNull,
  table,
  timestamp,
  trueOrFalse,
  wholeNumber,
  wholeNumberFrom,
} from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/* All forms of a journal entry derive from `entryFields`: between servers, in lists, reports, text and on the page. */

/** Whether a target matched a query, and why. */
export interface ConsideredTarget {
  /** The target's id. */
  readonly targetId: string;
  /** The target's name. */
  readonly name: string;
  /** Whether it is among the matches, before they are cut to the number asked for. */
  readonly matched: boolean;
  /** Why, as a code, such as `target.inactive`. */
  readonly code: CauseCode;
  /** The same in words, with the score if there is one. */
  readonly why: string;
  /** The target's outline in the image, if the matcher recognises pictures in photographs. */
  readonly outline?: Outline | undefined;
}

/**
 * The corners of a target in a picture, clockwise from its top left, in parts of the picture's width and height: x from 0,
 * left, to 1, right; y from 0, top, to 1, bottom. A target that is partly outside has corners beyond that.
 */
export type Outline = readonly (readonly [x: number, y: number])[];

/** How many more targets a query considered, for one reason. */
export interface OtherTargets {
  /** Why they did or did not match, as a code. */
  readonly code: CauseCode;
  /** The same in words. */
  readonly why: string;
  /** How many there are. */
  readonly count: number;
}

/** The strings behind a signature mismatch: five lines (method, MD5 of the body, content type, date, path). Contain no secret. */
export interface ComparedSignature {
  /** The string that should have been signed. */
  readonly expected: string;
  /** The string that the client signed, if a known mistake explains its signature. */
  readonly signed?: string | undefined;
}

/** What is recorded of a request, besides the message and the time. */
export interface RequestFacts {
  /** Position in order of arrival, from 1; dropped requests count too. */
  readonly number: number;
  /** The API that the host serves. */
  readonly api: ApiName;
  /** Undefined when no operation has that method and path. */
  readonly operation?: Operation | undefined;
  /** In upper case. */
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
}

/** The answer to a request, and what refused it. */
export interface AnswerFacts {
  /** Undefined when the client got no response (unserved path, cut connection, error of a user's function). */
  readonly status?: number | undefined;
  /** The response's result code, if it has one. */
  readonly resultCode?: string | undefined;
  /** Name of the check that refused the request, also if a fault changed its response; `emulator` when a user's function or the emulator itself failed. */
  readonly refusedBy?: string | undefined;
}

/** What checks and handlers find out about a request. */
export interface FoundFacts {
  /** If a fault was applied: `addFault`, or the option that configured it. Such a request does not count as refused. */
  readonly fault?: string | undefined;
  /** Name of the database whose keys the request uses, if known. */
  readonly database?: string | undefined;
  /**
   * Queries: up to 100 targets of the database, and why each did or did not match: first those with a score, the best first, then
   * those that were not compared. Also the targets that the query does not see yet.
   */
  readonly considered?: readonly ConsideredTarget[] | undefined;
  /** Queries over more than 100 targets: how many others there are, by reason. */
  readonly otherTargets?: readonly OtherTargets[] | undefined;
  /** On a signature mismatch: both strings to sign. */
  readonly signature?: ComparedSignature | undefined;
}

/** Recorded of a request's result, besides the message. */
export interface ResultFacts extends AnswerFacts, FoundFacts {
  /** Why it was refused, what is remarkable about its answer, or the effect of the fault, as a code with facts. */
  readonly cause?: Cause | undefined;
  /** The same in one sentence, with advice. Sentences may change with each version. */
  readonly reason?: string | undefined;
  /** Real time from arrival to answer, in milliseconds, without the configured response delay. */
  readonly durationMs: number;
}

export interface EntryFacts extends RequestFacts, ResultFacts {
  /** When the request arrived, in milliseconds since the epoch by the emulator's clock. */
  readonly time: number;
}

type LongField = "considered" | "otherTargets" | "signature";
/** An entry in lists and in the log. */
export type ShortFacts = Omit<EntryFacts, LongField>;
export const withoutLongFields = <Entry extends { readonly [Name in LongField]?: unknown }>({
  considered,
  otherTargets,
  signature,
  ...short
}: Entry): Omit<Entry, LongField> => short;

export const causeCode = kind(
  'the code of a cause, such as "date.skewed"',
  z.custom<CauseCode>((code) => isCauseCode(code), {
    error: ({ input }) => (typeof input === "string" ? nearest(input, CODES) : undefined),
    params: { suggests: true },
  }),
  { type: "string" },
);

const isCauseValue = (value: unknown): value is Cause =>
  isJsonObject(value) &&
  ["refusal", "remark", "fault"].some((each) => each === value.kind) &&
  isCauseCode(value.code);

/** Its facts depend on the code. */
const causeValue = deferred(
  "a cause, as an object with kind, code and facts",
  () => z.custom<Cause>(isCauseValue),
  {
    type: "object",
    required: ["kind", "code"],
    properties: { kind: { type: "string", enum: ["refusal", "remark", "fault"] }, code: { type: "string" } },
  },
);

export const entryFields: FieldsOf<EntryFacts> = {
  number: wholeNumberFrom(1),
  time: timestamp,
  api: apiName,
  operation: z.optional(
    deferred("the name of an operation", () => z.custom<Operation>(isOperation), { type: "string" }),
  ),
  method: anyText,
  path: anyText,
  status: z.optional(wholeNumberFrom(200, 599)),
  resultCode: z.optional(anyText),
  refusedBy: z.optional(anyText),
  fault: z.optional(anyText),
  cause: z.optional(z.lazy(() => causeValue)),
  reason: z.optional(anyText),
  database: z.optional(anyText),
  durationMs: z.number(),
  considered: z.optional(
    z.lazy(() =>
      listOf(
        record<ConsideredTarget>({
          targetId: anyText,
          name: anyText,
          matched: trueOrFalse,
          code: causeCode,
          why: anyText,
          outline: z.optional(kind("four points", list(z.tuple([z.number(), z.number()])))),
        }),
      ),
    ),
  ),
  otherTargets: z.optional(
    z.lazy(() => listOf(record<OtherTargets>({ code: causeCode, why: anyText, count: wholeNumber }))),
  ),
  signature: z.optional(
    z.lazy(() => record<ComparedSignature>({ expected: anyText, signed: z.optional(anyText) })),
  ),
};

/** A listed body is cut to this: the response that lists it is listed too, and would otherwise double with each call. */
export const MOST_BODY_CHARACTERS = 2000;

export interface ListedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly body: string | null;
}

/** An entry as the target manager lists it: the strings to sign are in the reason. */
type Listed = NullIfAbsent<Omit<EntryFacts, "signature">> & {
  readonly request: ListedMessage & { readonly query: string };
  readonly response: ListedMessage | null;
};

const message = {
  headers: kind("headers by lower-case name, with credentials masked", table(z.string(), anyText)),
  size: described("the size of the body in bytes", wholeNumber),
  body: z.nullable(
    described(
      `the body as short text of at most ${MOST_BODY_CHARACTERS} characters, with images as format, dimensions and size, and secrets masked; null when the journal dropped it`,
      anyText,
    ),
  ),
};

/** As the target manager lists it, at `GET /requests`. */
export const listedEntry = wireForm(
  z.lazy(() => {
    const { signature, ...facts } = entryFields;
    return record<Listed>({
      ...nullIfAbsent(facts),
      request: record({ query: anyText, ...message }),
      response: orNull(record(message)),
    });
  }),
  { names: { database: "database_name" } },
);

/** A request as the target manager lists it, at `GET /requests`: the fields of an entry in snake case, null when absent. */
export interface ListedRequest {
  /** Name of the check that refused the request. */
  readonly refused_by: string | null;
  /** The other fields. */
  readonly [field: string]: unknown;
}
