import { isCloudDatabase } from "../../domain/database.ts";
import { monthName, type ReportMonth } from "../../domain/report.ts";
import { noTargetNamed } from "../../guards/path-target.ts";
import { targetApiTable } from "../../guards/target-api-table.ts";
import { Checks, guard, refuse, step } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { failure } from "../../responses/target-api.ts";
import type { Call } from "../../services.ts";
import { accessDenied, expired } from "./error-documents.ts";
import { readValidity } from "./presigned-url.ts";

/** `month` is `YYYY-MM`, the current month or the previous one (UTC). */
const monthAccepted = step<Call, { month: ReportMonth }>("monthAccepted", ({ body, now }) => {
  const given = body.fields.month;
  const months = ["current", "previous"] as const;
  const month = months.find((name) => monthName(name, now) === given);
  if (month !== undefined) return { month };
  const accepted = months.map((name) => show(monthName(name, now))).join(" or ");
  return refuse(failure("Fail"), `month must be ${accepted}, got ${show(given)}`);
});

/** The table of protocol section 4, then the month. */
export const requestChecks = targetApiTable(isCloudDatabase, noTargetNamed).adding(monthAccepted);

/** The URL has every parameter and has not expired. Its signature is never checked. */
const urlValid = guard<Call>("urlValid", ({ request, profile, now }) => {
  const validity = readValidity(profile, request.query);
  if ("problem" in validity) return refuse(accessDenied, validity.problem);
  const { expires, expiresAt } = validity;
  return now > expiresAt
    ? refuse(
        expired(expires, expiresAt),
        `the URL expired ${(now - expiresAt) / 1000} s ago; ask for a new one`,
      )
    : undefined;
});

/** Downloads need no authorization. */
export const downloadChecks = Checks.on<Call>().checking(urlValid);
