import { header, type WireRequest } from "../../core/message.ts";
import { show } from "../../core/text.ts";

const HOUR_MS = 3_600_000;
/** How far a clock may be off, beside whole hours, so that a time zone still explains the difference. */
const TOLERATED_MS = 5 * 60_000;

/** Why a `Date` header that could not be read was refused, and what would be accepted at this moment. */
export function malformedDateReason(date: string, now: number): string {
  return `the Date header is ${show(date)}${kindOf(date)}; expected a form like ${show(new Date(now).toUTCString())}, as new Date().toUTCString() makes it`;
}

function kindOf(date: string): string {
  if (date === "") return ", which is empty";
  if (/^\d{4}-\d{2}-\d{2}/.test(date)) return ", which is ISO 8601 (toISOString)";
  if (/^\d{10,13}$/.test(date)) return ", which is a number of seconds or milliseconds";
  if (/GMT[+-]\d{4}/.test(date)) return ", which is local time (toString)";
  if (/[+-]\d{4}$/.test(date)) return ", which has an offset in the place of GMT";
  if (/\bUTC$/.test(date)) return ", which says UTC in the place of GMT";
  return "";
}

/** Why a `Date` header that is too far from now was refused. */
export function skewReason(date: string, moment: number, now: number, allowed: string): string {
  const says = `the Date header is ${show(date)}, but the service's clock says ${new Date(now).toUTCString()}; expected less than ${allowed} between them: `;
  const off = moment - now;
  const quarters = Math.round((off / HOUR_MS) * 2) / 2;
  const isZone =
    quarters !== 0 && Math.abs(quarters) <= 14 && Math.abs(off - quarters * HOUR_MS) < TOLERATED_MS;
  const zone = `it is ${Math.abs(quarters)} h ${quarters > 0 ? "ahead" : "behind"}, which looks like local time labelled GMT: make it with new Date().toUTCString(); or `;
  return `${says}${isZone ? zone : ""}correct the client's clock, or the mock's if a test set it`;
}

/** Whether this runtime's `Headers` loses `Date`, as browsers' and happy-dom's do; asked once. */
let headersLoseDate: boolean | undefined;

function losesDate(): boolean {
  headersLoseDate ??= typeof Headers === "function" && !new Headers({ date: "x" }).has("date");
  return headersLoseDate;
}

/** Completes "the request has …" of a request without a `Date` header. */
export function missingDateAdvice(request: WireRequest): string {
  const missing = "the request has no Date header";
  if (hasNoHeaders(request)) return `${missing}: ${NO_HEADERS}`;
  return losesDate()
    ? `${missing}: this runtime's Headers drops it (happy-dom and browsers do; run the test in the node environment)`
    : missing;
}

/** Why a request without a `Date` header was refused. */
export const missingDateReason = (request: WireRequest, now: number): string =>
  `${missingDateAdvice(request)}; expected a form like ${show(new Date(now).toUTCString())}`;

/** Completes "…: " of a request that arrived without what clients always send. */
export const NO_HEADERS =
  "no header at all arrived; another interceptor (a second nock or MSW in the same process, say) or this runtime lost them";

export const hasNoHeaders = ({ headers }: WireRequest): boolean =>
  headers.every(([name]) => /^(host|connection|content-length|transfer-encoding)$/i.test(name));

/** What to add to the reason that there is no `Authorization` header. */
export const missingHeadersAdvice = (request: WireRequest): string =>
  hasNoHeaders(request) && header(request, "authorization") === undefined ? `; ${NO_HEADERS}` : "";
