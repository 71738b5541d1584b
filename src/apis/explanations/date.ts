import { header, type WireRequest } from "../../emulator/message.ts";
import { show } from "../../emulator/text.ts";

const HOUR_MS = 3_600_000;
/** How far a difference may be from whole or half hours and still be explained by a time zone. */
const TOLERATED_MS = 5 * 60_000;

/** Why a malformed `Date` header was refused, and what would be accepted now. */
export function malformedDateReason(date: string, now: number): string {
  return `the Date header is ${show(date)}${kindOf(date)}; expected a form like ${show(new Date(now).toUTCString())}, as new Date().toUTCString() returns it`;
}

function kindOf(date: string): string {
  if (date === "") return ", which is empty";
  if (/^\d{4}-\d{2}-\d{2}/.test(date)) return ", which is ISO 8601 (toISOString)";
  if (/^\d{10,13}$/.test(date)) return ", which is a number of seconds or milliseconds";
  if (/GMT[+-]\d{4}/.test(date)) return ", which is local time (toString)";
  if (/[+-]\d{4}$/.test(date)) return ", which has an offset instead of GMT";
  if (/\bUTC$/.test(date)) return ", which says UTC instead of GMT";
  return "";
}

/** Why a `Date` header that is too far from now was refused. */
export function skewReason(date: string, moment: number, now: number, allowed: string): string {
  const says = `the Date header is ${show(date)}, but the service's clock says ${new Date(now).toUTCString()}; expected less than ${allowed} between them: `;
  const off = moment - now;
  const hours = Math.round((off / HOUR_MS) * 2) / 2;
  const isZone = hours !== 0 && Math.abs(hours) <= 14 && Math.abs(off - hours * HOUR_MS) < TOLERATED_MS;
  const zone = `it is ${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}, which looks like local time labelled GMT: use new Date().toUTCString(); or `;
  return `${says}${isZone ? zone : ""}correct the client's clock, or the mock's if a test set it`;
}

/** Whether this runtime's `Headers` or `Request` drops `Date`, as those of browsers and happy-dom do; tested once. */
let runtimeLosesDate: boolean | undefined;

function losesDate(): boolean {
  const headers = { date: "x" };
  runtimeLosesDate ??=
    typeof Headers === "function" &&
    typeof Request === "function" &&
    !(
      new Headers(headers).has("date") &&
      new Request("https://probe.invalid/", { headers }).headers.has("date")
    );
  return runtimeLosesDate;
}

/** Says that the request has no `Date` header, and why it may be missing. */
export function missingDateAdvice(request: WireRequest): string {
  const missing = "the request has no Date header";
  if (hasNoHeaders(request)) return `${missing}: ${NO_HEADERS}`;
  return losesDate()
    ? `${missing}: this runtime's fetch drops it (as happy-dom and browsers do; run the test in the node environment)`
    : missing;
}

/** Why a request without a `Date` header was refused. */
export const missingDateReason = (request: WireRequest, now: number): string =>
  `${missingDateAdvice(request)}; expected a form like ${show(new Date(now).toUTCString())}`;

/** Advice for a request that arrived without the headers that clients always send. */
export const NO_HEADERS =
  "no headers arrived at all; another interceptor (such as a second nock or MSW in the same process) or this runtime lost them";

export const hasNoHeaders = ({ headers }: WireRequest): boolean =>
  headers.every(([name]) => /^(host|connection|content-length|transfer-encoding)$/i.test(name));

/** What to add when there is no `Authorization` header. */
export const missingHeadersAdvice = (request: WireRequest): string =>
  hasNoHeaders(request) && header(request, "authorization") === undefined ? `; ${NO_HEADERS}` : "";
