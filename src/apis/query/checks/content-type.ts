import type { Exchange } from "../../../http/exchange.ts";
import { guard, refuse, step } from "../../../http/guard.ts";
import { parseMediaType } from "../../../http/media-type.ts";
import { show } from "../../../http/show.ts";
import { header } from "../../../http/wire-message.ts";
import { emptyQueryReply, jettyPage, noBoundary } from "../../../responses/query-api.ts";

const WANTED = "it wants multipart/form-data; boundary=<boundary>";
const given = ({ request }: Exchange): string => header(request, "content-type") ?? "";

/** Row 11: `Content-Type` is there and not empty. */
export const contentTypeGiven = guard<Exchange>("contentTypeGiven", (exchange) =>
  given(exchange) === ""
    ? refuse(jettyPage, `the Content-Type header is missing or empty; ${WANTED}`)
    : undefined,
);

/** Row 12: a multipart form; whether any type (`*`/`*`) passes for one depends on the profile. */
export const contentTypeIsMultipart = guard<Exchange>("contentTypeIsMultipart", (exchange) => {
  const { main } = parseMediaType(given(exchange));
  return main === "multipart/form-data" || (main === "*/*" && exchange.profile.anyContentTypeIsMultipart)
    ? undefined
    : refuse(emptyQueryReply(415), `the Content-Type header is ${show(given(exchange))}; ${WANTED}`);
});

/** Row 13: it names a boundary. Adds that. */
export const boundaryNamed = step<Exchange, { boundary: string }>("boundaryNamed", (exchange) => {
  const boundary = parseMediaType(given(exchange)).parameters.get("boundary") ?? "";
  return boundary === ""
    ? refuse(
        noBoundary,
        `the Content-Type header is ${show(given(exchange))}, without a boundary; ${WANTED}. ` +
          "Leave the header to the client's form encoder, which knows the boundary that it writes",
      )
    : { boundary };
});
