import { dateOf } from "../../emulator/response.ts";
import { show, utf8TextOf } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { DateKind } from "../../schema/causes/headers.ts";

const HOUR_MS = 3_600_000;

/** A time zone still explains such a deviation from half hours. */
const TOLERATED_MS = 5 * 60_000;

/** A header's text: clients that send UTF-8 send what Node reads as Latin-1. */
export function readableText(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
  return utf8TextOf(Buffer.from(text, "latin1")) ?? text;
}

/** Explains a malformed `Date` header, with one that is accepted now. */
export function malformedDate(date: string, now: number): AnyCause {
  const form = show(dateOf(now));
  return localDate(date, now) ?? cause("date.malformed", { given: show(date), is: kindOf(date), form });
}

/** Explains a date in another language or with other digits; undefined if it is in English. */
export function localDate(date: string, now: number): AnyCause | undefined {
  const text = readableText(date);
  const word = foreignWordIn(text);
  if (word === undefined) return undefined;
  return cause("date.locale", {
    given: show(text),
    word: show(word),
    calendar: calendarOf(latinDigits(text), now),
    form: show(dateOf(now)),
  });
}

const namesIn = (names: string): ReadonlySet<string> =>
  new Set(names.split(" ").flatMap((name) => [name, name.slice(0, 3), name.slice(0, 4)]));
const WEEKDAYS = namesIn("monday tuesday wednesday thursday friday saturday sunday");
const MONTHS = namesIn(
  "january february march april may june july august september october november december",
);

/** The first word that is not English; of dates in ASCII, only the names of the weekday and the month. */
function foreignWordIn(text: string): string | undefined {
  const words = text.match(/[\p{L}\p{M}.\ufffd]{2,}|[^\p{ASCII}\s]+/gu) ?? [];
  const beyond = words.find((word) => /[^\p{ASCII}]/u.test(word));
  if (beyond !== undefined) return beyond;
  const [, day = "", month = ""] =
    /^([a-z?]+)\.?,?\s+\d{1,2}\.?\s+(?:de\s+)?([a-z?]+)\.?,?\s+(?:de\s+)?\d{2,4}\b/i.exec(text) ??
    /^([a-z?]+)\.?,?\s+([a-z?]+)\.?\s+\d{1,2},?\s+\d{2,4}\b/i.exec(text) ??
    [];
  if (day === "") return undefined;
  if (!WEEKDAYS.has(day.toLowerCase())) return day;
  return MONTHS.has(month.toLowerCase()) ? undefined : month;
}

/** The first digit of each script that clients write dates in. */
const ZEROS = ["\u0660", "\u06f0", "\u0966", "\u09e6", "\u0e50", "\u1040", "\uff10"];

const latinDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.map((each) => each.codePointAt(0) ?? 0).find(
      (each) => code >= each && code < each + 10,
    );
    return zero === undefined ? digit : String(code - zero);
  });

/** Without calendars whose present year is a likely one of the Gregorian calendar, too. */
const CALENDARS = {
  buddhist: "Buddhist",
  roc: "Minguo",
  japanese: "Japanese",
  persian: "Persian",
  "islamic-umalqura": "Islamic",
  hebrew: "Hebrew",
} as const;

/** The calendar whose year is now that of a date; undefined for the Gregorian one, and if none is known. */
function calendarOf(date: string, now: number): string | undefined {
  const [, given] = /(?<![\d:])(\d{1,4})(?![\d:])\D+\d{1,2}:/.exec(date) ?? [];
  const year = Number(given);
  const isThisYear = Math.abs(year - new Date(now).getUTCFullYear()) <= 1;
  if (given === undefined || isThisYear) return undefined;
  const known = Object.entries(CALENDARS).find(([calendar]) => {
    const numeric = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { year: "numeric", timeZone: "UTC" });
    return Number(/\d+/.exec(numeric.format(now))?.[0]) === year;
  });
  return known?.[1];
}

const KINDS: readonly (readonly [DateKind, RegExp])[] = [
  ["empty", /^$/],
  ["twice", /GMT, .*GMT$/],
  ["iso", /^\d{4}-\d{2}-\d{2}/],
  ["number", /^\d{10,13}$/],
  ["local", /GMT[+-]\d{4}/],
  ["quoted", /^["'].*["']$/],
  ["halfDay", /\d\s*[ap]\.?m\b/i],
  ["offset", /[+-]\d{2}:?\d{2}$/],
  ["utc", /\bUTC$/],
  ["zone", /\d\s+(?!GMT$)[A-Z]{1,5}$/],
  ["fraction", /:\d{2}[.,]\d+/],
  ["noSeconds", /^[^:]*\d{1,2}:\d{2}(?:\s|$)/],
  ["numbers", /^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}\b/],
  ["dashes", /\d{1,2}-[a-z]{3}-\d{2,4}/i],
  [
    "longNames",
    /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\d\s+(?:january|february|march|april|june|july|august|september|october|november|december)\b/i,
  ],
  ["shortYear", /^[a-z]{3},?\s+\d{1,2}\s+[a-z]{3}\s+\d{2}\s/i],
  ["monthFirst", /^[a-z]{3},?\s+[a-z]{3}\s+\d/i],
  ["noComma", /^[a-z]{3}\s+\d{1,2}\s/i],
  ["noZone", /\d:\d{2}$/],
  ["impossible", /^[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d{1,2}:\d{1,2}:\d{1,2} GMT$/i],
];

const kindOf = (date: string): DateKind | undefined => KINDS.find(([, form]) => form.test(date))?.[0];

export function skewedDate(date: string, moment: number, now: number, allowed: string): AnyCause {
  const calendar = calendarOf(date, now);
  if (calendar !== undefined)
    return cause("date.locale", { given: show(date), calendar, form: show(dateOf(now)) });
  const off = moment - now;
  const hours = Math.round((off / HOUR_MS) * 2) / 2;
  const isZone = hours !== 0 && Math.abs(hours) <= 14 && Math.abs(off - hours * HOUR_MS) < TOLERATED_MS;
  return cause("date.skewed", {
    given: show(date),
    clock: dateOf(now),
    allowed,
    ...(isZone && { hours }),
  });
}
