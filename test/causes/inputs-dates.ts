import { expect } from "vitest";
import { changed, listing, type Sent, type Situation } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

/** A header's text in UTF-8, as clients send it that do not write it in ASCII. */
const inUtf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** Lists targets with another Date header, signed as the client's own text. */
const dated =
  (write: (now: Date) => string, encode: (text: string) => string = inUtf8) =>
  (s: Situation): Sent => {
    const date = write(s.service.clock.now());
    return { ...changed(listing(s), { date }), headers: { Date: encode(date) } };
  };

const two = (number: number) => String(number).padStart(2, "0");
const timeOf = (now: Date) =>
  [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds()].map(two).join(":");
/** The date with other names, and another year. */
const named =
  (day: string, month: string, year = (now: Date) => String(now.getUTCFullYear())) =>
  (now: Date) =>
    `${day}, ${now.getUTCDate()} ${month} ${year(now)} ${timeOf(now)} GMT`;
const later = (years: number) => (now: Date) => String(now.getUTCFullYear() + years);
const english = (change: (date: string) => string) => dated((now) => change(now.toUTCString()));
const is = (kind: string) => ({ is: kind });

const inDigits = (zero: number) => (now: Date) =>
  now.toUTCString().replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** Dates in other languages, calendars and forms. */
export const DATES: readonly Input[] = [
  ["a date in Spanish", dated(named("sáb", "nov")), "date.locale", { word: '"sáb"' }],
  ["a date in French", dated(named("sam.", "déc.")), "date.locale", { word: '"déc."' }],
  ["a date in Russian", dated(named("сб", "нояб.")), "date.locale", { word: '"сб"' }],
  ["a date in Japanese", dated(named("土", "11月")), "date.locale", { word: '"土"' }],
  [
    "a date in Japanese form",
    dated((now) => `${now.getUTCFullYear()}年11月21日(土) ${timeOf(now)}`),
    "date.locale",
    { word: '"年"' },
  ],
  [
    "a date in Thai, of its calendar",
    dated(named("ส.", "พ.ย.", later(543))),
    "date.locale",
    { calendar: "Buddhist" },
  ],
  [
    "a date with Arabic digits",
    dated(inDigits(0x660)),
    "date.locale",
    { word: expect.stringMatching(/^"[٠-٩]+"$/) },
  ],
  ["a date with full-width digits", dated(inDigits(0xff10)), "date.locale"],
  ["a date in Latin-1", dated(named("sáb", "nov"), (text) => text), "date.locale", { word: '"sáb"' }],
  [
    "a date whose letters became question marks",
    dated(named("s?b", "nov"), (text) => text),
    "date.locale",
    { word: '"s?b"' },
  ],
  ["a date in German, in ASCII", dated(named("Sa.", "Nov.")), "date.locale", { word: '"Sa"' }],
  ["a date in Italian, in ASCII", dated(named("Sat", "dic")), "date.locale", { word: '"dic"' }],
  [
    "a date in Portuguese, with words between",
    dated(named("Seg", "de nov de")),
    "date.locale",
    { word: '"Seg"' },
  ],
  [
    "an English date of the Buddhist calendar",
    dated(named("Sat", "Nov", later(543))),
    "date.locale",
    { calendar: "Buddhist" },
  ],
  [
    "an English date of the Minguo calendar",
    dated(named("Sat", "Nov", (now) => `0${now.getUTCFullYear() - 1911}`)),
    "date.locale",
    { calendar: "Minguo" },
  ],
  [
    "a wrong key and a date in Spanish",
    (s) => ({ ...dated(named("sáb", "nov"))(s), secretKey: "another" }),
    "date.locale",
  ],
  [
    "a date with AM and PM",
    dated((now) => `Sat, 21 Nov ${now.getUTCFullYear()} 3:00:00 PM GMT`),
    "date.malformed",
    is("halfDay"),
  ],
  ["a date with an offset", english((date) => date.replace("GMT", "+0000")), "date.malformed", is("offset")],
  ["a date in UTC", english((date) => date.replace("GMT", "UTC")), "date.malformed", is("utc")],
  ["a date in CET", english((date) => date.replace("GMT", "CET")), "date.malformed", is("zone")],
  ["a date without GMT", english((date) => date.replace(" GMT", "")), "date.malformed", is("noZone")],
  ["a date in quotation marks", english((date) => `"${date}"`), "date.malformed", is("quoted")],
  [
    "a date with milliseconds",
    english((date) => date.replace(" GMT", ".000 GMT")),
    "date.malformed",
    is("fraction"),
  ],
  [
    "a date without seconds",
    english((date) => date.replace(/:\d\d GMT/, " GMT")),
    "date.malformed",
    is("noSeconds"),
  ],
  [
    "a date of RFC 850",
    dated((now) => `Saturday, 21-Nov-26 ${timeOf(now)} GMT`),
    "date.malformed",
    is("dashes"),
  ],
  [
    "a date with a long month",
    dated((now) => `Sat, 21 November 2026 ${timeOf(now)} GMT`),
    "date.malformed",
    is("longNames"),
  ],
  ["a date in numbers", dated((now) => `11/21/2026 ${timeOf(now)}`), "date.malformed", is("numbers")],
  ["a date without a comma", english((date) => date.replace(",", "")), "date.malformed", is("noComma")],
  ["31 November", dated((now) => `Sat, 31 Nov 2026 ${timeOf(now)} GMT`), "date.malformed", is("impossible")],
  [
    "another form of the date was signed",
    (s) => changed(listing(s), { date: s.service.clock.now().toISOString() }),
    "signature.date",
    { wrong: expect.stringContaining("Z") },
  ],
];
