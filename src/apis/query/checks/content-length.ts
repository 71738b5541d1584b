import { contentLengthFit, contentLengthReason } from "../../../guards/content-length.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { guard, refuse } from "../../../http/guard.ts";
import { emptyOnly, queryFailure } from "../../../responses/query-api.ts";

/** Row 2: `Content-Length`, where visible, is an integer and the body's length. */
export const contentLengthFits = guard<Exchange>("contentLengthFits", ({ request }) => {
  switch (contentLengthFit(request)) {
    case "notAnInteger":
      return refuse(() => emptyOnly(400, "Close"), contentLengthReason(request));
    case "tooLarge":
      return refuse(() => emptyOnly(504, "keep-alive"), contentLengthReason(request));
    case "tooSmall":
      return refuse(queryFailure("AuthenticationFailure"), contentLengthReason(request));
    default:
      return undefined;
  }
});
