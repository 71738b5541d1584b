import { CheckTable, check } from "../../emulator/check.ts";
import { addRemark, type Context } from "../../emulator/context.ts";
import { header } from "../../emulator/message.ts";
import type { Api } from "../../emulator/operation.ts";
import type { Profile } from "../../emulator/profiles.ts";
import { type DeclaredResponse, refuse } from "../../emulator/response.ts";
import { headerOf, namedAccessKey, type SigningKeys, stringToSign } from "../../emulator/signing.ts";
import { show } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { RequestRateLimit } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import type { Operation } from "../../schema/protocol.ts";
import type { RateRule } from "../../store/rate-history.ts";
import { isOfCloud, ofDatabase, type RecordsOf } from "../../store/records.ts";
import { malformedAuthorization, missingAuthorization, unknownKey } from "../explanations/values.ts";
import type { ApiContext, Services } from "../services.ts";
import { contentLengthIsInteger, headerLinesFit } from "./framing.ts";
import { fail, failure, tooManyRequests } from "./responses.ts";

/** The records of the database whose access key an `Authorization` names. */
export async function recordsOfKey(
  field: "serverAccessKey" | "clientAccessKey",
  authorization: string | undefined,
  { store }: Services,
): Promise<RecordsOf | undefined> {
  const accessKey = namedAccessKey(authorization);
  return accessKey === undefined
    ? undefined
    : await store.read({ key: [field, accessKey], answer: ofDatabase });
}

export const databaseOfServerKey: Api<Services>["databaseOf"] = async (authorization, services) =>
  (await recordsOfKey("serverAccessKey", authorization, services))?.database;

/** First the limit per second, then the limit of the operation's group. */
function rulesFor(
  database: Database,
  operation: Operation,
  { alignedWindowSeconds }: Profile,
): readonly RateRule[] {
  if (database.kind !== "cloud") return [];
  const aligned = alignedWindowSeconds ?? Number.POSITIVE_INFINITY;
  const { requestsPerSecondLimit, requestRateLimits } = database;
  const limits: { readonly [group: string]: RequestRateLimit | null } = { ...requestRateLimits };
  const group = limits[operation] == null ? "other" : operation;
  const limit = limits[group];
  return [
    ...(requestsPerSecondLimit === null
      ? []
      : [{ key: "perSecond", maxRequests: requestsPerSecondLimit, windowSeconds: 1, isAligned: false }]),
    ...(limit == null ? [] : [{ key: group, ...limit, isAligned: limit.windowSeconds >= aligned }]),
  ];
}

/** Before the signature is checked. Refused requests do not count. Adds the records of the key's database to the context. */
const withinRateLimits = check({
  name: "withinRateLimits",
  refusals: [tooManyRequests],
  testLater: async ({ services, request, operation, now, entry, profile }: ApiContext) => {
    const keyRecords = await recordsOfKey("serverAccessKey", header(request, "authorization"), services);
    if (keyRecords === undefined) return { keyRecords };
    const { database } = keyRecords;
    entry.database = database.databaseName;
    const rules = rulesFor(database, operation.name, profile);
    if (rules.length === 0) return { keyRecords };
    const full = await services.store.takeRateToken(database.databaseName, rules, now);
    if (full === undefined) return { keyRecords };
    const limit = full.key === "perSecond" ? "requestsPerSecondLimit" : `requestRateLimits.${full.key}`;
    const { maxRequests: requests, windowSeconds: seconds, isAligned } = full;
    const facts = { limit, requests, seconds, isAligned };
    if (!services.consistency.acceptsAboveLimit()) return cause("rate.reached", facts);
    addRemark(entry, cause("realism.accepted", facts));
    return { keyRecords };
  },
});

export const authorizationGiven = (refusal: DeclaredResponse, expected: string) =>
  check({
    name: "authorizationGiven",
    refusals: [refusal],
    test: ({ request }: Context) =>
      header(request, "authorization") !== undefined || missingAuthorization(request, expected),
  });

const EXPECTED = "VWS <server access key>:<signature>";

/** Two words, then exactly one colon with something after it. */
const authorizationWellFormed = check({
  name: "authorizationWellFormed",
  refusals: [fail(400)],
  test: ({ request }: Context) =>
    /^[^ :]+ [^ :]+:[^:]+$/.test(header(request, "authorization") ?? "") ||
    malformedAuthorization(request, EXPECTED),
});

type KeyContext = ApiContext & { readonly keyRecords: RecordsOf | undefined };

/** The access key belongs to a cloud database. Adds it, its records and the view of its targets to the context. */
export const knownAccessKey = check({
  name: "knownAccessKey",
  refusals: [fail(400)],
  testLater: async (context: KeyContext) => {
    const { keyRecords, request } = context;
    if (keyRecords === undefined) return refusedKey(context);
    if (isOfCloud(keyRecords))
      return { database: keyRecords.database, records: keyRecords, targets: viewOf(context, keyRecords) };
    return cause("key.vumark", { given: show(namedAccessKey(header(request, "authorization"))) });
  },
});

/** The access key belongs to a database of either kind. Adds the same to the context. */
const knownKeyOfAnyDatabase = check({
  name: "knownAccessKey",
  refusals: [fail(400)],
  testLater: async (context: KeyContext) => {
    const { keyRecords } = context;
    if (keyRecords === undefined) return refusedKey(context);
    return { database: keyRecords.database, records: keyRecords, targets: viewOf(context, keyRecords) };
  },
});

/** What the request sees of the records' targets. */
export const viewOf = (context: ApiContext, records: RecordsOf) =>
  context.services.consistency.view(context, records);

const refusedKey = (context: KeyContext): Promise<AnyCause> =>
  unknownKey(context, namedAccessKey(header(context.request, "authorization")), "server");

/**
 * Returns true if the keys and the request result in this `Authorization` header; otherwise why not.
 *
 * @param otherSecrets - by name: secrets that a client may have used by mistake.
 */
export async function signatureVerdict(
  context: ApiContext,
  keys: SigningKeys & { readonly databaseName: string },
  otherSecrets: Readonly<Record<string, string>>,
): Promise<true | AnyCause> {
  const { request, body } = context;
  const parts = {
    method: request.method,
    path: request.path,
    contentType: header(request, "content-type"),
    date: header(request, "date"),
  };
  if (headerOf(keys, stringToSign(parts, body.digest)) === header(request, "authorization")) {
    if (request.query !== "")
      addRemark(context.entry, cause("query-string.ignored", { given: show(request.query) }));
    return true;
  }
  const { explainSignature } = await import("../explanations/signature.ts");
  return explainSignature(context, keys, otherSecrets);
}

export const signatureMatches = check({
  name: "signatureMatches",
  refusals: [failure("AuthenticationFailure")],
  testLater: (context: ApiContext & { readonly database: Database }) => {
    const { database } = context;
    const { databaseName, serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
    return signatureVerdict(
      context,
      { databaseName, accessKey, secretKey },
      database.kind === "cloud" ? { "client secret key": database.clientSecretKey } : {},
    );
  },
});

/** The first checks of all APIs whose requests are signed with server keys. */
export const signedTable = CheckTable.on<ApiContext, Operation>()
  .and(contentLengthIsInteger)
  .and(headerLinesFit)
  .and(withinRateLimits) // adds the records of the access key's database
  .and(authorizationGiven(failure("AuthenticationFailure"), EXPECTED))
  .and(authorizationWellFormed);

/** Continued for APIs that both kinds of databases have. */
export const signedByAnyDatabase = signedTable
  .and(knownKeyOfAnyDatabase) // adds the database
  .and(signatureMatches);

type DatabaseContext = ApiContext & { readonly database: Database };

export const requestQuotaLeft = check({
  name: "requestQuotaLeft",
  refusals: [failure("RequestQuotaReached")],
  test: ({ database }: DatabaseContext) =>
    database.kind !== "cloud" ||
    database.requestQuota !== 0 ||
    cause("quota.requests", { database: database.databaseName }),
});

const stateOf = ({ databaseName, stateName }: Database, isReadable = false): AnyCause =>
  cause("database.state", { database: databaseName, state: stateName, isReadable });

export const stateAllows = check({
  name: "stateAllows",
  refusals: [failure("ProjectHasNoApiAccess"), failure("ProjectSuspended")],
  test: ({ database }: DatabaseContext) => {
    if (database.stateName === "PROJECT_HAS_NO_API_ACCESS")
      return refuse(failure("ProjectHasNoApiAccess"), stateOf(database));
    return (
      database.stateName !== "PROJECT_SUSPENDED" || refuse(failure("ProjectSuspended"), stateOf(database))
    );
  },
});

/** A cloud database is not inactive. */
export const stateAllowsMore = check({
  name: "stateAllows",
  operations: [
    "addTarget",
    "updateTarget",
    "deleteTarget",
    "getDuplicates",
    "generateInstance",
    "requestReport",
  ],
  refusals: [failure("ProjectInactive")],
  test: ({ database }: DatabaseContext) =>
    database.stateName !== "PROJECT_INACTIVE" || database.kind !== "cloud" || stateOf(database, true),
});
