import { refusal } from "./row.ts";
import { lostHeaders, type NoDate, noDate, unset } from "./words.ts";

const MALFORMED = {
  colon: "there is no colon between access key and signature",
  space: "there is no space after VWS",
  colons: "it has more than one colon",
  scheme: "its scheme is not VWS",
  spaces: "it has more than one space",
  around: "there is white space around the access key: trim it",
} as const;
const UNSET = {
  promise: 'it contains the text "[object Promise]", which was not awaited',
  undefined: "it contains a value that was not set",
  nothing: "nothing follows VWS",
  signature: "the signature is empty",
  key: "the access key is empty",
} as const;
const OTHER_API = {
  bearer: "Bearer tokens belong to the Model Target API",
  basic: "HTTP Basic belongs to POST /oauth2/token",
} as const;

const ALTERED = {
  quoted: "in quotation marks",
  surrounded: "with more around it",
  cut: "without a part of it",
  base64: "in base64",
  percent: "percent-encoded",
} as const;

const MISTAKEN = {
  name: "the name of one",
  id: "the id of one",
  license: "as long as a license key",
  signature: "the signature, which belongs behind the key and the colon",
} as const;

const malformed =
  <Problem extends string>(advice: string, problems: Readonly<Record<Problem, string>>) =>
  ({ problem, expected }: { readonly problem: Problem; readonly expected: string }) =>
    `${advice}: ${problems[problem]}; expected ${expected}`;

type Malformed<Problem> = {
  readonly problem: Problem;
  readonly expected: string;
};

const DATES = {
  empty: ", which is empty",
  twice: ", which is two dates (send the header once)",
  iso: ", which is ISO 8601 (toISOString)",
  number: ", which is a number of seconds or milliseconds",
  local: ", which is local time (toString)",
  offset: ", which has an offset instead of GMT",
  utc: ", which says UTC instead of GMT",
  zone: ", which names another time zone than GMT",
  noZone: ", which does not end with GMT",
  quoted: ", which is in quotation marks",
  halfDay: ", which has a 12-hour clock",
  fraction: ", which has fractions of a second",
  noSeconds: ", which has no seconds",
  numbers: ", which has numbers in place of names",
  dashes: ", which has dashes (RFC 850)",
  longNames: ", which has long names",
  shortYear: ", whose year has two digits",
  monthFirst: ", which has the month before the day",
  noComma: ", which has no comma behind the weekday",
  impossible: ", which is no day or time of the calendar",
} as const;
export type DateKind = keyof typeof DATES;

/** Headers of requests to any API. */
export const headerCauses = {
  "authorization.missing": refusal<{
    readonly expected: string;
    readonly isLost?: boolean;
    /** The header that has the value instead. */
    readonly other?: string | undefined;
  }>(
    "The request has no Authorization header.",
    ({ expected, isLost, other }) =>
      `${other === undefined ? "send an Authorization header" : "name the header Authorization"}: ` +
      `the request has ${other === undefined ? "none" : `none, but ${other}`}; expected ${expected}${lostHeaders(isLost)}`,
    "Send an Authorization header with the access key and a signature.",
    "GET /targets\nAuthorization:",
  ),
  "authorization.malformed": refusal<Malformed<keyof typeof MALFORMED>>(
    "The Authorization header has another form.",
    malformed("correct the Authorization header", MALFORMED),
    "Send `VWS`, a space, the access key, a colon and the signature, and nothing else.",
    "GET /targets\nAuthorization: VWS <server access key>",
  ),
  "authorization.unset": refusal<Malformed<keyof typeof UNSET>>(
    "The Authorization header contains a value that was not set.",
    malformed("check the variables in the Authorization header", UNSET),
    "Check the variables that hold the access key and the signature, and await what computes them.",
    "GET /targets\nAuthorization: VWS undefined",
  ),
  "authorization.other-api": refusal<Malformed<keyof typeof OTHER_API>>(
    "The Authorization header is one of another API.",
    malformed("sign the request with the database's keys", OTHER_API),
    "Sign the request with the keys of a database: tokens belong to the Model Target API.",
    "GET /targets\nAuthorization: Bearer token",
  ),
  "key.unset": refusal<{ readonly text: string }>(
    "The access key is the text of a value that was not set.",
    ({ text }) => unset("the access key", text),
    "Check the variable that holds the access key.",
    "GET /targets\nAuthorization: VWS undefined:<signature>",
  ),
  "key.unknown": refusal<{
    readonly role: string;
    readonly given: string;
    readonly is?: keyof typeof MISTAKEN;
  }>(
    "No database has the access key.",
    ({ role, given, is }) =>
      `send the ${role} access key of a database: ${is === undefined ? `none has ${given}` : `${given} is ${MISTAKEN[is]}`}; server keys sign target API requests, client keys sign queries`,
    "Use the keys of a database of this mock or server, as `addCloudDatabase()` or the manager returns them.",
    "GET /targets\nAuthorization: VWS unknown:<signature>",
  ),
  "key.other-role": refusal<{ readonly given: string; readonly role: string; readonly database: string }>(
    "The access key is the client key where the server key is needed, or the other way round.",
    ({ given, role, database }) =>
      `sign with the ${role === "client" ? "server" : "client"} keys: ${given} is the ${role} access key of the database ${database}; server keys sign target API requests, client keys sign queries`,
    "Sign target API requests with the server keys, and queries with the client keys.",
    "GET /targets, signed with the client keys",
  ),
  "key.swapped": refusal<{ readonly database: string }>(
    "A secret key was sent as the access key.",
    ({ database }) =>
      `swap the two keys: a secret key of the database ${database} was sent as the access key; the access key is sent, and the secret key only signs`,
    "Swap the two keys: the access key is sent, and the secret key only signs.",
    "GET /targets\nAuthorization: VWS <server secret key>:<signature>",
  ),
  "key.case": refusal<{ readonly given: string; readonly database: string }>(
    "The access key is right but for upper and lower case.",
    ({ given, database }) =>
      `send the access key unchanged: ${given} is one of the database ${database}, but in a different case`,
    "Send the access key unchanged.",
    "GET /targets with the server access key in upper case",
  ),
  "key.altered": refusal<{
    readonly given: string;
    readonly database: string;
    readonly is: keyof typeof ALTERED;
  }>(
    "The access key is right but for what surrounds it, is missing or was encoded.",
    ({ given, database, is }) =>
      `send the access key as it is: ${given} is one of the database ${database}, ${ALTERED[is]}`,
    "Send the access key as it is: whole, and without quotation marks or brackets.",
    'GET /targets\nAuthorization: VWS "<server access key>":<signature>',
  ),
  "key.left-over": refusal<{ readonly given: string; readonly database: string }>(
    "The access key belongs to a mock that has stopped.",
    ({ given, database }) =>
      `await all requests, and create the client in each test: the access key ${given} belongs to the database ${database} of a stopped mock; ` +
      "an earlier test did not await this request, or created this client",
    "Await all requests before a test ends, and create the client in each test.",
    "GET /targets, signed with the keys of a mock that has stopped",
  ),
  "key.reset": refusal<{ readonly given: string; readonly database: string }>(
    "The access key belongs to a database that `reset()` deleted.",
    ({ given, database }) =>
      `add a database after reset(), and create the client with its keys: the access key ${given} belongs to the database ${database}, which reset() deleted`,
    "After `reset()`, add a database and create the client with its keys.",
    "GET /targets, signed with the keys of a database that reset() deleted",
  ),
  "key.vumark": refusal<{ readonly given: string; readonly database?: string }>(
    "The access key belongs to a VuMark database.",
    ({ given, database }) =>
      database === undefined
        ? `use the keys of a cloud database: the server access key ${given} belongs to a VuMark database`
        : `use the keys of a cloud database: the server access key ${given} belongs to the VuMark database ${database}, whose keys this API does not accept`,
    "Use the keys of a cloud database: those of a VuMark database only generate instances.",
    "GET /targets, signed with the keys of a VuMark database",
  ),
  "key.other-mock": refusal<{ readonly given: string; readonly owner: string }>(
    "The access key belongs to another mock of the process.",
    ({ given, owner }) =>
      `send the request to the mock that has the key, or use this mock's keys: the access key ${given} belongs to ${owner}`,
    "Send the request to the mock whose database has the key, or use the keys of this mock's database.",
    "GET /targets, signed with the keys of another mock of the process",
  ),
  "date.missing": refusal<{ readonly form: string } & NoDate>(
    "The request has no Date header.",
    (facts) => `${noDate(facts)}; expected a form like ${facts.form}`,
    "Send a Date header, as `new Date().toUTCString()` returns it, and sign it.",
    "GET /targets without a Date header, signed with an empty date",
  ),
  "date.malformed": refusal<{
    readonly given: string;
    readonly is?: DateKind | undefined;
    readonly form: string;
  }>(
    "The Date header has another form.",
    ({ given, is, form }) =>
      `send the Date header as new Date().toUTCString() returns it: it is ${given}${is === undefined ? "" : DATES[is]}; expected a form like ${form}`,
    "Send the Date header as `new Date().toUTCString()` returns it.",
    "GET /targets\nDate: 2026-11-23T10:00:00Z",
  ),
  "date.locale": refusal<{
    readonly given: string;
    /** The first word that is not English. */
    readonly word?: string | undefined;
    /** Whose year it has, such as `Buddhist`. */
    readonly calendar?: string | undefined;
    readonly form: string;
  }>(
    "The Date header is in another language, or of another calendar.",
    ({ given, word, calendar, form }) => {
      const languages = word === undefined ? [] : [`${word} is not English`];
      const calendars = calendar === undefined ? [] : [`the year is of the ${calendar} calendar`];
      const change = word === undefined ? "the calendar to the Gregorian one" : "the locale to English";
      return `set ${change} when you format the date: the Date header is ${given}, but ${[...languages, ...calendars].join(" and ")}; expected a form like ${form}`;
    },
    "Format the date in English and the Gregorian calendar, whatever the locale is.",
    "GET /targets\nDate: Sa., 21 Nov. 2026 12:00:00 GMT",
  ),
  "date.skewed": refusal<{
    readonly given: string;
    readonly clock: string;
    /** The greatest difference that is not accepted, such as `5 minutes`. */
    readonly allowed: string;
    /** The difference in hours, if a time zone explains it. */
    readonly hours?: number | undefined;
  }>(
    "The Date header is too far from the service's clock.",
    ({ given, clock, allowed, hours }) =>
      `${hours === undefined ? "" : "send GMT, as new Date().toUTCString() returns it, or "}correct the client's clock, or the mock's if a test set it: ` +
      `the Date header is ${given}${hours === undefined ? "" : `, ${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}, which looks like local time labelled GMT`}, but the service's clock says ${clock}; ` +
      `expected less than ${allowed} between them`,
    "Correct the client's clock, or the mock's if a test set it; send GMT rather than local time.",
    "GET /targets\nDate: Sat, 01 Jan 2000 00:00:00 GMT",
  ),
  "content-type.missing": refusal<{ readonly expected: string }>(
    "The Content-Type header is missing or empty.",
    ({ expected }) => `send the Content-Type ${expected}: the header is missing or empty`,
    "Send a Content-Type header.",
    "POST /targets\nContent-Type:",
  ),
  "content-type.wrong": refusal<{
    readonly given: string;
    readonly expected: string;
    /** Which clients send it by default. */
    readonly client?: string | undefined;
  }>(
    "The Content-Type header is another one.",
    ({ given, expected, client }) =>
      `send the Content-Type ${expected}: it is ${given}${client === undefined ? "" : `, which ${client} sends by default`}`,
    "Send the Content-Type that the API expects: `multipart/form-data` for queries, JSON for datasets.",
    "POST /v1/query\nContent-Type: application/json",
  ),
  "boundary.missing": refusal<{ readonly given: string }>(
    "The Content-Type header names no boundary.",
    ({ given }) =>
      "let the client's form encoder set the Content-Type header, because it knows the boundary that it writes: " +
      `the header is ${given}, without a boundary; expected multipart/form-data; boundary=<boundary>`,
    "Let the client's form encoder set the Content-Type header.",
    "POST /v1/query\nContent-Type: multipart/form-data",
  ),
  "accept.not-json": refusal<{ readonly given: string }>(
    "The Accept header excludes JSON.",
    ({ given }) =>
      `set an Accept header that covers application/json, to replace the client's default: it is ${given}`,
    "Send no Accept header, or one that covers `application/json`.",
    "POST /v1/query\nAccept: text/html",
  ),
  "accept.format": refusal<{ readonly given?: string; readonly accepted: string }>(
    "The Accept header names no format of instances.",
    ({ given, accepted }) =>
      `send one of ${accepted} as the Accept header: ${given === undefined ? "the request has none" : `got ${given}`}`,
    "Send an Accept header that names the format of the instance.",
    "POST /targets/{id}/instances\nAccept: image/jpeg",
  ),
  "content-length.malformed": refusal<{ readonly given?: string; readonly bytes?: number }>(
    "The Content-Length header is no whole number.",
    ({ given, bytes }) =>
      given === undefined
        ? "Content-Length must be one whole number, the length of the body in bytes"
        : `send the length of the body in bytes as Content-Length: it is ${given}; the body has ${bytes} bytes`,
    "Send the length of the body in bytes as Content-Length, or let the client compute it.",
    "GET /targets\nContent-Length: many",
  ),
  "content-length.wrong": refusal<{
    readonly given: string;
    readonly bytes: number;
    /** Whether the body has as many characters as the header says. */
    readonly inCharacters: boolean;
  }>(
    "The Content-Length header is not the length of the body.",
    ({ given, bytes, inCharacters }) =>
      `send the length of the body in bytes${inCharacters ? " (Buffer.byteLength), not in characters," : ""} as Content-Length: it is ${given}; the body has ${bytes} bytes`,
    "Send the length of the body in bytes (`Buffer.byteLength`) as Content-Length, or let the client compute it.",
    "GET /targets\nContent-Length: 5",
  ),
  "header.too-long": refusal<{ readonly most: number; readonly header?: string; readonly bytes?: number }>(
    "A header line is too long.",
    ({ most, header, bytes }) =>
      header === undefined
        ? `the header lines are too long: expected at most ${most} bytes in each`
        : `send a shorter header: the line ${header} has ${bytes} bytes; expected at most ${most}`,
    "Send shorter headers.",
    "GET /targets with a header of 9,000 bytes",
  ),
};
