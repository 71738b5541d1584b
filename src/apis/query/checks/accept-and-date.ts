import { parseDateHeader, QUERY_DATE_FORMS } from "../../../guards/date-header.ts";
import { skewReason } from "../../../guards/json-request.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { guard, refuse } from "../../../http/guard.ts";
import { show } from "../../../http/show.ts";
import { header } from "../../../http/wire-message.ts";
import { challengeText, dateRequired, emptyQueryReply, queryFailure } from "../../../responses/query-api.ts";

const ACCEPTED = ["application/json", "*/*"];

/** Row 7: `Accept` is absent, or exactly one of two values. */
export const acceptsJson = guard<Exchange>("acceptsJson", ({ request }) => {
  const accept = header(request, "accept");
  return accept === undefined || ACCEPTED.includes(accept)
    ? undefined
    : refuse(
        emptyQueryReply(406),
        `the Accept header is ${show(accept)}; it must be absent or exactly ${ACCEPTED.join(" or ")}: ` +
          "set it on the request, in place of the client's default",
      );
});

const EXAMPLE = show("Sat, 21 Nov 2026 10:42:00 GMT");

/** Row 8: `Date` is there. */
export const dateGiven = guard<Exchange>("dateGiven", ({ request }) =>
  header(request, "date") === undefined
    ? refuse(dateRequired, `the request has no Date header; it wants a form like ${EXAMPLE}`)
    : undefined,
);

const momentOf = ({ request }: Exchange): number | undefined =>
  parseDateHeader(header(request, "date") ?? "", QUERY_DATE_FORMS);

/** Row 9: `Date` is in one of the accepted forms. */
export const dateWellFormed = guard<Exchange>("dateWellFormed", (exchange) =>
  momentOf(exchange) === undefined
    ? refuse(
        challengeText("Malformed date header."),
        `the Date header is ${show(header(exchange.request, "date"))}; it wants a form like ${EXAMPLE}`,
      )
    : undefined,
);

const MAX_SKEW_MS = 65 * 60_000;

/** Row 10: `Date` is within 65 minutes of now (exactly 65 is out). */
export const dateCurrent = guard<Exchange>("dateCurrent", (exchange) => {
  const { request, now } = exchange;
  return Math.abs(now - (momentOf(exchange) ?? now)) < MAX_SKEW_MS
    ? undefined
    : refuse(
        queryFailure("RequestTimeTooSkewed"),
        skewReason(header(request, "date") ?? "", now, "65 minutes"),
      );
});
