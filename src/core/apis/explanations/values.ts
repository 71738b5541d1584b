import { header, type WireRequest } from "../../emulator/message.ts";
import { dateOf } from "../../emulator/response.ts";
import { percentDecoded, show, showUnknownKey } from "../../general/text.ts";
import type { Database } from "../../schema/database.ts";
import type { ApiContext } from "../services.ts";

const HOUR_MS = 3_600_000;

/** A time zone still explains such a deviation from half hours. */
const TOLERATED_MS = 5 * 60_000;

/** Explains a malformed `Date` header, with one that is accepted now. */
export function malformedDateReason(date: string, now: number): string {
  return `the Date header is ${show(date)}${kindOf(date)}; expected a form like ${show(dateOf({ now }))}, as new Date().toUTCString() returns it`;
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

export function skewReason(date: string, moment: number, now: number, allowed: string): string {
  const says = `the Date header is ${show(date)}, but the service's clock says ${dateOf({ now })}; expected less than ${allowed} between them: `;
  const off = moment - now;
  const hours = Math.round((off / HOUR_MS) * 2) / 2;
  const isZone = hours !== 0 && Math.abs(hours) <= 14 && Math.abs(off - hours * HOUR_MS) < TOLERATED_MS;
  const zone = `it is ${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}, which looks like local time labelled GMT: use new Date().toUTCString(); or `;
  return `${says}${isZone ? zone : ""}correct the client's clock, or the mock's if a test set it`;
}

/** Whether this runtime's `Headers` or `Request` drops `Date`, as in browsers and happy-dom. */
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

export function missingDateAdvice(request: WireRequest): string {
  const missing = "the request has no Date header";
  if (hasNoHeaders(request)) return `${missing}: ${NO_HEADERS}`;
  return losesDate()
    ? `${missing}: this runtime's fetch drops it (as happy-dom and browsers do; run the test in the node environment)`
    : missing;
}

export const missingDateReason = (request: WireRequest, now: number): string =>
  `${missingDateAdvice(request)}; expected a form like ${show(dateOf({ now }))}`;

/** Advice for a request that arrived without the headers that clients always send. */
const NO_HEADERS =
  "the request has no headers of its own; if the client set some, another interceptor (such as a second nock or MSW in the same " +
  "process) or this runtime lost them";

const hasNoHeaders = ({ headers }: WireRequest): boolean =>
  headers.every(([name]) => /^(host|connection|content-length|transfer-encoding)$/i.test(name));

export const missingHeadersAdvice = (request: WireRequest): string =>
  hasNoHeaders(request) && header(request, "authorization") === undefined ? `; ${NO_HEADERS}` : "";

export function malformedAuthorizationReason(request: WireRequest, wanted: string): string {
  const given = header(request, "authorization") ?? "";
  const [, scheme = ""] = /^(\S*)/.exec(given) ?? [];
  return `the Authorization header is malformed${detail(given, scheme)}; expected ${wanted}`;
}

function detail(given: string, scheme: string): string {
  if (/^bearer$/i.test(scheme)) {
    return ": Bearer tokens belong to the Model Target API; requests to this API are signed with the database's keys";
  }
  if (/^basic$/i.test(scheme))
    return ": HTTP Basic belongs to POST /oauth2/token; requests to this API are signed";
  if (/^vws$/i.test(scheme) && /^\S+ +$/.test(`${given} `)) return ": nothing follows VWS";
  if (given.includes("[object Promise]"))
    return ': it contains the text "[object Promise]": await the value first';
  if (/undefined|null/.test(given)) return ": it contains a value that was not set";
  if (!given.includes(":")) return ": there is no colon between access key and signature";
  if (!given.includes(" ")) return ": there is no space after VWS";
  if (/^\S+ [^:]+:$/.test(given)) return ": the signature is empty";
  if (/^\S+ +:/.test(given)) return ": the access key is empty";
  if (/^\S+ +(?: \S+|\S+ +):/.test(given)) return ": there is white space around the access key: trim it";
  return given.split(":").length > 2 ? ": it has more than one colon" : ": it has more than one space";
}

export const missingAuthorizationReason = (request: WireRequest, wanted: string): string =>
  `the request has no Authorization header; expected ${wanted}${missingHeadersAdvice(request)}`;

const MOST_KEYS = 1000;

/** Access keys of stopped mocks and deleted databases: requests that come too late can be told so. */
const former = new Map<string, string>();

const ENDED = {
  stopped:
    "of a mock that has stopped: is this a request left over from an earlier test, or a client created in one? " +
    "Await all requests, and create the client in each test",
  reset: "that reset() deleted: afterwards, add a database and create the client with its keys",
};

export function rememberKeys(
  databases: Iterable<{
    readonly databaseName: string;
    readonly serverAccessKey: string;
    readonly clientAccessKey?: string;
  }>,
  ended: "stopped" | "reset",
): void {
  for (const { databaseName, serverAccessKey, clientAccessKey } of databases) {
    for (const key of [serverAccessKey, clientAccessKey])
      if (key !== undefined) former.set(key, `${show(databaseName)} ${ENDED[ended]}`);
  }
  for (const key of former.keys()) {
    if (former.size <= MOST_KEYS) break;
    former.delete(key);
  }
}

/** Text of unset values. */
export const TEXTS_OF_NOTHING: readonly string[] = ["", "undefined", "null", "[object Promise]"];

/** Reports an unset value; otherwise undefined. */
export function notSet(what: string, value: string): string | undefined {
  if (!TEXTS_OF_NOTHING.includes(value)) return undefined;
  if (value === "") return `the ${what} is empty: check the variable that holds it`;
  const why = value.startsWith("[") ? "await it first" : "check the variable that holds it";
  return `the ${what} is the text ${JSON.stringify(value)}: ${why}`;
}

/** Reports an unset value in place of an id; otherwise undefined. */
export function missingIdAdvice(path: string): string | undefined {
  const missing = path
    .split("/")
    .map(percentDecoded)
    .find((part) => part !== "" && TEXTS_OF_NOTHING.includes(part));
  return (
    missing &&
    `the path has the text ${JSON.stringify(missing)} in place of an id: await the call that returns it`
  );
}

/** Describes an access key of one mock of this process. */
export type KeyLookup = (accessKey: string) => string | undefined;

const MOST_MOCKS = 100;

/** Of intercepting mocks, until they are stopped. */
const keyLookups = new Set<KeyLookup>();

/** Of other mocks. Weak: these need no stop. Only these: weakly held mocks are freed later. */
const idleKeyLookups = new Set<WeakRef<KeyLookup>>();

/** @param lookup - asked for keys that another mock does not know, until {@link removeKeyLookup}. */
export function addKeyLookup(lookup: KeyLookup): void {
  keyLookups.add(lookup);
}

export function removeKeyLookup(lookup: KeyLookup): void {
  keyLookups.delete(lookup);
}

/** @param lookup - asked as long as other code holds it. */
export function addIdleKeyLookup(lookup: KeyLookup): void {
  // Not each time: otherwise each mock would cost more, the more mocks are uncollected.
  if (idleKeyLookups.size % MOST_MOCKS === MOST_MOCKS - 1)
    for (const other of idleKeyLookups) if (other.deref() === undefined) idleKeyLookups.delete(other);
  idleKeyLookups.add(new WeakRef(lookup));
}

const newest = <Item>(items: ReadonlySet<Item>): Item[] => [...items].slice(-MOST_MOCKS).reverse();

function otherMockWith(accessKey: string): string | undefined {
  for (const lookup of [...newest(keyLookups), ...newest(idleKeyLookups).map((held) => held.deref())]) {
    const said = lookup?.(accessKey);
    if (said !== undefined) return said;
  }
  return undefined;
}

const RULE = "server keys sign target API requests, client keys sign queries";

const MOST_DATABASES = 100;

export async function unknownKeyReason(
  { services: { store } }: ApiContext,
  key: string | undefined,
  wanted: "server" | "client",
): Promise<string> {
  if (key === undefined) return `no database has the ${wanted} access key ${showUnknownKey(key)}; ${RULE}`;
  const missing = notSet("access key", key);
  if (missing !== undefined) return missing;
  const other = wanted === "server" ? "client" : "server";
  const database = (await store.findRecords([`${other}AccessKey`, key]))?.database;
  if (database !== undefined) {
    return `the access key ${show(key)} is the ${other} access key of the database ${show(database.databaseName)}; ${RULE}`;
  }
  const databases = (await store.listCloudDatabases()).slice(-MOST_DATABASES);
  const swapped = databases.find(
    ({ serverSecretKey, clientSecretKey }) => key === serverSecretKey || key === clientSecretKey,
  );
  if (swapped !== undefined) {
    return (
      `a secret key of the database ${show(swapped.databaseName)} was sent as the access key: swap them; ` +
      "the access key is sent, and the secret key only signs"
    );
  }
  const inOtherCase = databases.find(({ serverAccessKey, clientAccessKey }) =>
    [serverAccessKey, clientAccessKey].some((known) => known.toLowerCase() === key.toLowerCase()),
  );
  if (inOtherCase !== undefined) {
    return `the access key ${showUnknownKey(key)} is one of the database ${show(inOtherCase.databaseName)}, but in a different case: send it unchanged`;
  }
  const formerDatabase = former.get(key);
  if (formerDatabase !== undefined) {
    return `the access key ${showUnknownKey(key)} belongs to the database ${formerDatabase}`;
  }
  const template = (await store.listVuMarkDatabases()).find(({ serverAccessKey }) => serverAccessKey === key);
  if (template !== undefined) {
    return `the server access key ${show(key)} belongs to the VuMark database ${show(template.databaseName)}, whose keys this API does not accept`;
  }
  const elsewhere = otherMockWith(key);
  if (elsewhere !== undefined) return `the access key ${showUnknownKey(key)} belongs to ${elsewhere}`;
  return `no database has the ${wanted} access key ${showUnknownKey(key)}; ${RULE}`;
}

/** Names another database that has the path's target. */
export async function unknownTargetReason({
  database: { databaseName },
  params: { id = "" },
  services: { store },
}: ApiContext & { readonly database: Database }): Promise<string> {
  const why = `the database "${databaseName}" has no undeleted target with the id ${show(id)}`;
  if (TEXTS_OF_NOTHING.includes(id))
    return `${why}: await the call that returns it, and check the name of its field`;
  for (const other of (await store.listCloudDatabases()).slice(-MOST_DATABASES)) {
    if (other.databaseName === databaseName) continue;
    if ((await store.findTarget(other.databaseName, id)) === undefined) continue;
    return `${why}; the database ${show(other.databaseName)} has it: sign with the keys of the database that the target was added to`;
  }
  return why;
}
