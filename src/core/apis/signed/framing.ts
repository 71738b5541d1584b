import { check } from "../../emulator/check.ts";
import type { Context } from "../../emulator/context.ts";
import { header, type WireRequest } from "../../emulator/message.ts";
import { type DeclaredResponse, refuse } from "../../emulator/response.ts";
import { isJsonObject } from "../../general/json.ts";
import { bounded, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import { LONGEST_HEADER_LINE_BYTES } from "../../schema/protocol.ts";
import { nearest } from "../../schema/zod/problems.ts";
import { malformedLength, notJsonObject, wrongLength } from "../explanations/bodies.ts";
import { malformedDate, skewedDate } from "../explanations/dates.ts";
import { missingDate } from "../explanations/values.ts";
import type { ApiContext } from "../services.ts";
import { fail, failure, headerTooLargePage, loadBalancerPage, streamTimeout } from "./responses.ts";

const SEPARATOR = ": ";

/** No header line is too long. On the wire, each character of a line is one byte. */
export const linesFit = (refusal: DeclaredResponse) =>
  check({
    name: "headerLinesFit",
    refusals: [refusal],
    test: ({ request }: Context) => {
      for (const [name, value] of request.headers) {
        const length = name.length + SEPARATOR.length + value.length;
        if (length > LONGEST_HEADER_LINE_BYTES)
          return cause("header.too-long", {
            header: bounded(name),
            bytes: length,
            most: LONGEST_HEADER_LINE_BYTES,
          });
      }
      return true;
    },
  });

export const headerLinesFit = linesFit(headerTooLargePage);

/** Whether `Content-Length` is an integer. A header that is not visible counts as right. */
export const isLengthInteger = (request: WireRequest): boolean =>
  /^\s*[+-]?\d+\s*$/.test(header(request, "content-length") ?? "0");

/** `Content-Length`, where visible, is an integer. The load balancer checks it, before all other servers. */
export const lengthIsInteger = (refusal: DeclaredResponse) =>
  check({
    name: "contentLengthIsInteger",
    refusals: [refusal],
    answersMalformed: "contentLength",
    test: ({ request }: Context) => isLengthInteger(request) || malformedLength(request),
  });

export const contentLengthIsInteger = lengthIsInteger(loadBalancerPage);

/** The checks of what a transport may refuse before them. */
export const malformedChecks = { contentLength: contentLengthIsInteger, headersTooLarge: headerLinesFit };

/** `Content-Length`, where visible, equals the body's length. */
export const lengthFits = (tooLarge: DeclaredResponse, tooSmall: DeclaredResponse) =>
  check({
    name: "contentLengthFits",
    refusals: [tooLarge, tooSmall],
    test: ({ request }: Context) => {
      const { length } = request.body;
      const given = Number(header(request, "content-length") ?? length);
      return given === length || refuse(given > length ? tooLarge : tooSmall, wrongLength(request));
    },
  });

export const contentLengthFits = lengthFits(streamTimeout, failure("AuthenticationFailure"));

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY = "(?:mon|tue|wed|thu|fri|sat|sun)";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = "(?<hour>\\d{1,2}):(?<minute>\\d{1,2}):(?<second>\\d{1,2})";
const DAY = "(?<day>\\d{1,2})";
const YEAR = "(?<year>\\d{4})";

/** Words separated by runs of spaces, in any letter case; the weekday need not match the date. */
const form = (...words: string[]): RegExp => new RegExp(`^${words.join("\\s+")}$`, "i");

export const TARGET_API_DATE_FORMS: readonly RegExp[] = [form(`${WEEKDAY},`, DAY, MONTH, YEAR, TIME, "GMT")];

/** The forms that the query API accepts, each with or without `GMT`. */
export const QUERY_DATE_FORMS: readonly RegExp[] = [
  [`${WEEKDAY},?`, MONTH, DAY, TIME, YEAR],
  [`${WEEKDAY},?`, DAY, MONTH, YEAR, TIME],
].flatMap((words) => [form(...words), form(...words, "GMT")]);

/** Reads a date header as GMT. Undefined in other forms, or for a day that does not exist. */
export function parseDateHeader(value: string, forms: readonly RegExp[]): number | undefined {
  let found: Readonly<Record<string, string>> | undefined;
  for (const shape of forms) found ??= shape.exec(value)?.groups;
  if (found === undefined) return undefined;
  const { day = "", month = "", year = "", hour = "", minute = "", second = "" } = found;
  const date = new Date(0);
  // Not Date.UTC: it reads years below 100 as 19xx.
  date.setUTCFullYear(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const isInCalendar =
    Number(year) > 0 &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  return isInCalendar ? date.getTime() : undefined;
}

const MAX_SKEW_MS = 5 * 60_000;

/** `Date` is present, in the accepted form, and within 5 minutes of now (exactly 5 is out). */
export const dateCurrent = check({
  name: "dateCurrent",
  refusals: [fail(400), failure("RequestTimeTooSkewed")],
  test: ({ request, now }: Context) => {
    const date = header(request, "date");
    if (date === undefined) return refuse(fail(400), missingDate(request, now));
    const moment = parseDateHeader(date, TARGET_API_DATE_FORMS);
    if (moment === undefined) return refuse(fail(400), malformedDate(date, now));
    return (
      Math.abs(now - moment) < MAX_SKEW_MS ||
      refuse(failure("RequestTimeTooSkewed"), skewedDate(date, moment, now, "5 minutes"))
    );
  },
});

export const bodyGiven = (refusal: DeclaredResponse) =>
  check({
    name: "bodyGiven",
    refusals: [refusal],
    test: ({ body }: ApiContext) => !body.isEmpty || cause("body.empty"),
  });

export const bodyIsJsonObject = (refusal: DeclaredResponse) =>
  check({
    name: "bodyIsJsonObject",
    refusals: [refusal],
    test: ({ body }: ApiContext) => {
      const { json } = body;
      return (json.error === undefined && isJsonObject(json.value)) || notJsonObject(json, body.bytes);
    },
  });

const MOST_COMPARED = 20;

const hasAll = (value: unknown, keys: readonly string[]): boolean =>
  isJsonObject(value) && keys.every((key) => Object.hasOwn(value, key));

/** The body has every required key, and only allowed ones. */
export const keysAllowed = (refusal: DeclaredResponse) =>
  check({
    name: "keysAllowed",
    refusals: [refusal],
    test: ({ operation, body: { fields } }: ApiContext) => {
      const { required = [], optional = [] } = operation.body?.keys ?? {};
      const missing = required.filter((key) => !Object.hasOwn(fields, key));
      const unknown = Object.keys(fields).filter((key) => !required.includes(key) && !optional.includes(key));
      if (missing.length > 0) {
        const within = unknown.find((key) => hasAll(fields[key], required));
        return cause("fields.missing", {
          fields: missing.join(", "),
          ...(unknown.length > 0 && { unknown: show(unknown.join(", ")) }),
          ...(within !== undefined && { within: show(within) }),
        });
      }
      if (unknown.length === 0) return true;
      const known = [...required, ...optional];
      const [meant] = unknown.slice(0, MOST_COMPARED).flatMap((name) => nearest(name, known) ?? []);
      return cause("fields.unknown", {
        fields: show(unknown.join(", ")),
        ...(meant !== undefined && { meant }),
        known: known.join(", "),
      });
    },
  });

/** Requests with a body name a content type; any value is accepted. */
export const contentTypeGiven = check({
  name: "contentTypeGiven",
  refusals: [failure("AuthenticationFailure")],
  test: ({ request }: Context) =>
    Boolean(header(request, "content-type")) || cause("content-type.missing", { expected: "any value" }),
});
