import type { CloudDatabase } from "../../../domain/database.ts";
import { namedAccessKey } from "../../../guards/rate-limits.ts";
import { explainSignature } from "../../../guards/signature-explanation.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { guard, refuse, step } from "../../../http/guard.ts";
import { show, showUnknownKey } from "../../../http/show.ts";
import { header } from "../../../http/wire-message.ts";
import { challengeText, queryFailure } from "../../../responses/query-api.ts";
import type { Call } from "../../../services.ts";
import { authorizationHeader } from "../../../signing.ts";

const WANTED = "it wants VWS <client access key>:<signature>";

/** Row 3: `Authorization` is there. */
export const authorizationGiven = guard<Exchange>("authorizationGiven", ({ request }) =>
  header(request, "authorization") === undefined
    ? refuse(
        challengeText("Authorization header missing."),
        `the request has no Authorization header; ${WANTED}`,
      )
    : undefined,
);

/** Row 4: two parts split on one space, the second not empty; exactly one colon with something after it. */
export const authorizationWellFormed = guard<Exchange>("authorizationWellFormed", ({ request }) => {
  const given = header(request, "authorization") ?? "";
  return /^[^ ]* [^ ]+$/.test(given) && /^[^:]*:[^:]+$/.test(given)
    ? undefined
    : refuse(
        challengeText("Malformed authorization header."),
        `the Authorization header is malformed; ${WANTED}`,
      );
});

/** Row 5: the client access key is known, and the signature is the one that its secret key makes. */
export const authenticated = step<Call, { database: CloudDatabase }>("authenticated", async (call) => {
  const { request, trace, services } = call;
  const given = header(request, "authorization");
  const accessKey = namedAccessKey(given);
  const database =
    accessKey === undefined ? undefined : await services.store.findDatabaseByClientAccessKey(accessKey);
  if (database === undefined) {
    return refuse(queryFailure("AuthenticationFailure"), await unknownKeyReason(call, accessKey));
  }
  trace.database = database.name;
  const keys = { accessKey: database.clientAccessKey, secretKey: database.clientSecretKey };
  const signed = authorizationHeader({
    ...keys,
    method: request.method,
    path: request.path,
    body: request.body,
    contentType: header(request, "content-type"),
    date: header(request, "date"),
  });
  if (signed === given) return { database };
  return refuse(
    queryFailure("AuthenticationFailure"),
    explainSignature(request, keys, { "server secret key": database.serverSecretKey }),
  );
});

async function unknownKeyReason({ services }: Call, accessKey: string | undefined): Promise<string> {
  const owner =
    accessKey === undefined ? undefined : await services.store.findDatabaseByServerAccessKey(accessKey);
  return owner === undefined
    ? `no database has the client access key ${showUnknownKey(accessKey)}`
    : `${show(accessKey)} is the server access key of the database "${owner.name}"; client keys sign queries`;
}

/** Row 6: the database is not inactive. Its other states do not touch queries. */
export const projectActive = guard<Exchange & { database: CloudDatabase }>("projectActive", ({ database }) =>
  database.state === "PROJECT_INACTIVE"
    ? refuse(
        queryFailure("InactiveProject"),
        `the state of the database "${database.name}" is PROJECT_INACTIVE`,
      )
    : undefined,
);
