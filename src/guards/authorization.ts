import type { Database } from "../domain/database.ts";
import type { Exchange } from "../http/exchange.ts";
import { guard, type Refusal, refuse, step } from "../http/guard.ts";
import { show, showUnknownKey } from "../http/show.ts";
import { header } from "../http/wire-message.ts";
import { failure } from "../responses/target-api.ts";
import type { Call } from "../services.ts";
import { authorizationHeader } from "../signing.ts";
import { namedAccessKey } from "./rate-limits.ts";
import { explainSignature } from "./signature-explanation.ts";

/** Row 3: `Authorization` is there. */
export const authorizationGiven = guard<Exchange>("authorizationGiven", ({ request }) =>
  header(request, "authorization") === undefined
    ? refuse(
        failure("AuthenticationFailure"),
        "the request has no Authorization header; it wants VWS <access key>:<signature>",
      )
    : undefined,
);

/** Row 4: exactly one colon with something after it, and two words before it. */
export const authorizationWellFormed = guard<Exchange>("authorizationWellFormed", ({ request }) =>
  /^[^ :]+ [^ :]+:[^:]+$/.test(header(request, "authorization") ?? "")
    ? undefined
    : refuse(failure("Fail"), "the Authorization header is malformed; it wants VWS <access key>:<signature>"),
);

/** Row 5: the access key belongs to a database of a kind that the route serves. */
export const knownAccessKey = <Kind extends Database>(accepts: (database: Database) => database is Kind) =>
  step<Call & { keyOwner: Database | undefined }, { database: Kind }>("knownAccessKey", (call) => {
    const { keyOwner } = call;
    if (keyOwner !== undefined && accepts(keyOwner)) return { database: keyOwner };
    return refuseKey(call, keyOwner !== undefined);
  });

async function refuseKey({ request, services }: Call, isKnown: boolean): Promise<Refusal> {
  const key = namedAccessKey(header(request, "authorization"));
  if (isKnown) {
    return refuse(
      failure("Fail"),
      `the server access key ${show(key)} belongs to a VuMark database, and this route serves cloud databases only`,
    );
  }
  const owner = key === undefined ? undefined : await services.store.findDatabaseByClientAccessKey(key);
  const whose =
    owner === undefined
      ? `no database has the server access key ${showUnknownKey(key)}`
      : `the access key ${show(key)} is the client access key of the database "${owner.name}"`;
  return refuse(failure("Fail"), `${whose}; server keys sign target API requests, client keys sign queries`);
}

/** Row 6: the signature is the one that the database's secret key makes. The whole header is compared. */
export const signatureMatches = guard<Exchange & { database: Database }>(
  "signatureMatches",
  ({ request, database }) => {
    const keys = { accessKey: database.serverAccessKey, secretKey: database.serverSecretKey };
    const parts = {
      method: request.method,
      path: request.path,
      body: request.body,
      contentType: header(request, "content-type"),
      date: header(request, "date"),
    };
    if (authorizationHeader({ ...keys, ...parts }) === header(request, "authorization")) return undefined;
    return refuse(
      failure("AuthenticationFailure"),
      explainSignature(
        request,
        keys,
        database.kind === "cloud" ? { "client secret key": database.clientSecretKey } : {},
      ),
    );
  },
);
