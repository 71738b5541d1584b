import { CheckTable, check } from "../../emulator/check.ts";
import { refuse } from "../../emulator/response.ts";
import { isUnset, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import { monthName } from "../../schema/report.ts";
import type { ApiContext } from "../services.ts";
import {
  requestQuotaLeft,
  signedByAnyDatabase,
  stateAllows,
  stateAllowsMore,
} from "../signed/authentication.ts";
import {
  bodyGiven,
  bodyIsJsonObject,
  contentLengthFits,
  contentTypeGiven,
  dateCurrent,
  keysAllowed,
} from "../signed/framing.ts";
import { fail, failure } from "../signed/responses.ts";
import { accessDenied, expired, readValidity } from "./responses.ts";

/** The path names the database that the keys belong to, which is a cloud database. */
const ownDatabaseNamed = check({
  name: "ownDatabaseNamed",
  refusals: [failure("AuthenticationFailure")],
  test: ({ params, database }: ApiContext & { readonly database: Database }) =>
    database.kind === "cloud" && database.databaseId === params.database_id
      ? { database: database satisfies CloudDatabase }
      : cause("database-id.wrong", idMistake(params.database_id, database.databaseName)),
});

function idMistake(id: string | undefined, name: string) {
  if (id === name) return { isName: true };
  return id !== undefined && isUnset(id) ? { unset: id } : {};
}

/** `month` is the current or the previous month (UTC) as `YYYY-MM`. Adds it to the context. */
const monthAccepted = check({
  name: "monthAccepted",
  refusals: [fail(400)],
  test: ({ body, now }: ApiContext) => {
    const given = body.fields.month;
    const months = ["current", "previous"] as const;
    const month = months.find((name) => monthName(name, now) === given);
    if (month !== undefined) return { month };
    const expected = months.map((name) => show(monthName(name, now))).join(" or ");
    return cause("month.wrong", { given: show(given), expected });
  },
});

/** The checks of the request for a report, in the order of README.md. */
export const reportTable = signedByAnyDatabase
  .and(ownDatabaseNamed) // it is a cloud database
  .and(requestQuotaLeft)
  .and(stateAllows)
  .and(stateAllowsMore)
  .and(dateCurrent)
  .and(bodyGiven(fail(400)))
  .and(bodyIsJsonObject(fail(400)))
  .and(keysAllowed(fail(400)))
  .and(contentTypeGiven)
  .and(contentLengthFits)
  .and(monthAccepted); // adds the month

/** The URL has every parameter and has not expired. Its signature is not checked. */
const urlValid = check({
  name: "urlValid",
  refusals: [accessDenied, expired],
  test: ({ request, profile, now }: ApiContext) => {
    const validity = readValidity(profile, request.query);
    if ("problem" in validity) return refuse(accessDenied, validity.problem);
    return (
      now <= validity.expiresAt ||
      refuse(expired, cause("url.expired", { seconds: (now - validity.expiresAt) / 1000 }), validity)
    );
  },
});

export const downloadTable = CheckTable.on<ApiContext, "downloadReport">().and(urlValid);
