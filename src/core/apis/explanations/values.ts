import { header, type WireRequest } from "../../emulator/message.ts";
import { dateOf } from "../../emulator/response.ts";
import { isUnset, percentDecoded, show, showUnknownKey } from "../../general/text.ts";
import { isPlaceholder } from "../../general/text-kinds.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { NoDate } from "../../schema/causes/words.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import type { Target } from "../../schema/target.ts";
import * as reads from "../../store/reads.ts";
import { ofDatabase } from "../../store/records.ts";
import type { ApiContext } from "../services.ts";
import { formerDatabaseOf, otherMockWith } from "../signed/known-keys.ts";

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

/** What lost the `Date` header of a request, if it is known. */
function dateLostBy(request: WireRequest): "headers" | "runtime" | undefined {
  if (hasNoHeaders(request)) return "headers";
  return losesDate() ? "runtime" : undefined;
}

/** Why there is no `Date` header. */
export const noDateIn = (request: WireRequest): NoDate => ({
  lost: dateLostBy(request),
  other: headerLike(request, /(?:^|[-_])(?:date|time|timestamp|datetime)$/i),
});

export const missingDate = (request: WireRequest, now: number): AnyCause =>
  cause("date.missing", { form: show(dateOf(now)), ...noDateIn(request) });

/** The first header with such a name or value. */
const headerLike = ({ headers }: WireRequest, name: RegExp, value = /./): string | undefined =>
  headers.find((each) => name.test(each[0]) && value.test(each[1]))?.[0];

const hasNoHeaders = ({ headers }: WireRequest): boolean =>
  headers.every(([name]) => /^(host|connection|content-length|transfer-encoding)$/i.test(name));

/** Whether a request arrived without the headers that clients always send. */
export const lacksHeaders = (request: WireRequest): boolean =>
  hasNoHeaders(request) && header(request, "authorization") === undefined;

export function malformedAuthorization(request: WireRequest, expected: string): AnyCause {
  const given = header(request, "authorization") ?? "";
  const [, scheme = ""] = /^(\S*)/.exec(given) ?? [];
  if (/^bearer$/i.test(scheme)) return cause("authorization.other-api", { problem: "bearer", expected });
  if (/^basic$/i.test(scheme)) return cause("authorization.other-api", { problem: "basic", expected });
  const problem = unsetIn(given, scheme);
  return problem === undefined
    ? cause("authorization.malformed", { problem: malformedIn(given), expected })
    : cause("authorization.unset", { problem, expected });
}

function unsetIn(given: string, scheme: string) {
  if (/^vws$/i.test(scheme) && /^\S+ +$/.test(`${given} `)) return "nothing";
  if (given.includes("[object Promise]")) return "promise";
  if (/undefined|null/.test(given)) return "undefined";
  if (!given.includes(":") || !given.includes(" ")) return undefined;
  if (/^\S+ [^:]+:$/.test(given)) return "signature";
  return /^\S+ +:/.test(given) ? "key" : undefined;
}

function malformedIn(given: string) {
  if (/^(?!vws\b)[a-z][\w-]* /i.test(given)) return "scheme";
  if (!given.includes(":")) return "colon";
  if (!given.includes(" ")) return "space";
  if (/^\S+ +(?: \S+|\S+ +):/.test(given)) return "around";
  return given.split(":").length > 2 ? "colons" : "spaces";
}

export const missingAuthorization = (request: WireRequest, expected: string): AnyCause =>
  cause("authorization.missing", {
    expected,
    isLost: lacksHeaders(request),
    other: headerLike(request, /./, /^VWS /i),
  });

/** The text of an unset value in place of an id. */
export const missingIdIn = (path: string): string | undefined =>
  path
    .split("/")
    .map(percentDecoded)
    .find((part) => part !== "" && isUnset(part));

const MOST_DATABASES = 100;

export async function unknownKey(
  { services: { store }, request }: ApiContext,
  key: string | undefined,
  role: "server" | "client",
): Promise<AnyCause> {
  const given = showUnknownKey(key);
  if (key === undefined) return cause("key.unknown", { role, given });
  if (isUnset(key)) return cause("key.unset", { text: key });
  const other = role === "server" ? "client" : "server";
  const database = (await store.read({ key: [`${other}AccessKey`, key], answer: ofDatabase }))?.database;
  if (database !== undefined)
    return cause("key.other-role", { given: show(key), role: other, database: show(database.databaseName) });
  const databases = (await store.read(reads.cloudDatabases)).slice(-MOST_DATABASES);
  const swapped = databases.find(
    ({ serverSecretKey, clientSecretKey }) => key === serverSecretKey || key === clientSecretKey,
  );
  if (swapped !== undefined) return cause("key.swapped", { database: show(swapped.databaseName) });
  const named = databases.find(({ databaseName, databaseId }) => key === databaseName || key === databaseId);
  if (named !== undefined)
    return cause("key.unknown", { role, given: show(key), is: key === named.databaseId ? "id" : "name" });
  const inOtherCase = databases.find(({ serverAccessKey, clientAccessKey }) =>
    [serverAccessKey, clientAccessKey].some((known) => known.toLowerCase() === key.toLowerCase()),
  );
  if (inOtherCase !== undefined)
    return cause("key.case", { given, database: show(inOtherCase.databaseName) });
  if (/^[A-Za-z0-9+/]{300,}={0,2}$/.test(key)) return cause("key.unknown", { role, given, is: "license" });
  const behind = header(request, "authorization")?.split(":")[1];
  if (databases.some((each) => behind === each.serverAccessKey || behind === each.clientAccessKey))
    return cause("key.unknown", { role, given, is: "signature" });
  const altered = alteredKey(key, databases);
  if (altered !== undefined) return altered;
  if (isNameOfKey(key, databases)) return cause("key.unset", { text: key });
  const ofFormer = formerDatabaseOf(key);
  if (ofFormer !== undefined) {
    const code = ofFormer.ended === "stopped" ? "key.left-over" : "key.reset";
    return cause(code, { given, database: ofFormer.database });
  }
  const template = (await store.read(reads.vuMarkDatabases)).find(
    ({ serverAccessKey }) => serverAccessKey === key,
  );
  if (template !== undefined)
    return cause("key.vumark", { given: show(key), database: show(template.databaseName) });
  const owner = otherMockWith(key);
  return owner === undefined
    ? cause("key.unknown", { role, given })
    : cause("key.other-mock", { given, owner });
}

/** Whether it is a template's name of a key, and no secret between brackets. */
const isNameOfKey = (key: string, databases: readonly CloudDatabase[]): boolean =>
  isPlaceholder(key) &&
  /key/i.test(key) &&
  !databases.some(
    ({ serverSecretKey, clientSecretKey }) => key.includes(serverSecretKey) || key.includes(clientSecretKey),
  );

/** The fewest characters of a known key by which a part of it is recognised. */
const FEWEST_CHARACTERS = 8;

/** Names the database that has the key, if it was only surrounded, cut or encoded. */
function alteredKey(key: string, databases: readonly CloudDatabase[]): AnyCause | undefined {
  const base64 = Buffer.from(key, "base64").toString("latin1");
  for (const { serverAccessKey, clientAccessKey, databaseName } of databases)
    for (const known of [serverAccessKey, clientAccessKey]) {
      const is = alterationOf(key, known, base64);
      if (is !== undefined)
        return cause("key.altered", { given: showUnknownKey(key), database: show(databaseName), is });
    }
  return undefined;
}

function alterationOf(key: string, known: string, base64: string) {
  if (known.length < FEWEST_CHARACTERS) return undefined;
  if (key.includes(known)) return /^["'`\u201c]/.test(key) ? ("quoted" as const) : ("surrounded" as const);
  if (key.length >= FEWEST_CHARACTERS && known.includes(key)) return "cut";
  if (base64 === known) return "base64";
  return percentDecoded(key) === known ? "percent" : undefined;
}

/** A target or template of the database. */
type NamedTarget = Pick<Target, "targetId" | "name">;

/** What stands in place of a target's id. */
function insteadOfId(id: string, targets: readonly NamedTarget[]) {
  if (targets.some(({ name }) => name === id)) return "name";
  const digits = id.toLowerCase().replace(/[^0-9a-f]/g, "");
  if (targets.some(({ targetId }) => targetId === digits)) return "altered";
  return isPlaceholder(id) ? "placeholder" : undefined;
}

/**
 * Names another database that has the path's target.
 *
 * @param targets - of the database.
 */
export async function unknownTarget(
  {
    database: { databaseName: database },
    params: { id = "" },
    services: { store },
  }: ApiContext & { readonly database: Database },
  targets: readonly NamedTarget[],
): Promise<AnyCause> {
  if (isUnset(id)) return cause("id.unset", { text: id, database });
  const is = insteadOfId(id, targets);
  if (is !== undefined) return cause("target.unknown", { database, id: show(id), is });
  for (const other of (await store.read(reads.cloudDatabases)).slice(-MOST_DATABASES)) {
    if (other.databaseName === database) continue;
    if ((await store.read(reads.target(other.databaseName, id))) === undefined) continue;
    return cause("target.elsewhere", { database, id: show(id), other: show(other.databaseName) });
  }
  return cause("target.unknown", { database, id: show(id) });
}
