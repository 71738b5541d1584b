import type { Exchange } from "../http/exchange.ts";
import { guard, refuse } from "../http/guard.ts";
import { show } from "../http/show.ts";
import { header, type WireRequest } from "../http/wire-message.ts";
import { loadBalancerPage } from "../responses/pages.ts";
import { failure, streamTimeout } from "../responses/target-api.ts";

/** How `Content-Length` fits the body. A header that is not visible counts as right. */
export function contentLengthFit(request: WireRequest): "fits" | "notAnInteger" | "tooLarge" | "tooSmall" {
  const given = header(request, "content-length");
  if (given === undefined) return "fits";
  if (!/^\s*[+-]?\d+\s*$/.test(given)) return "notAnInteger";
  const length = Number(given);
  if (length === request.body.length) return "fits";
  return length > request.body.length ? "tooLarge" : "tooSmall";
}

export const contentLengthReason = ({ headers, body }: WireRequest): string =>
  `the Content-Length header is ${show(header({ headers }, "content-length"))}; the body has ${body.length} bytes`;

/** Row 25: `Content-Length`, where visible, is an integer and the body's length. */
export const contentLengthFits = guard<Exchange>("contentLengthFits", ({ request }) => {
  switch (contentLengthFit(request)) {
    case "notAnInteger":
      return refuse(loadBalancerPage, contentLengthReason(request));
    case "tooLarge":
      return refuse(streamTimeout, contentLengthReason(request));
    case "tooSmall":
      return refuse(failure("AuthenticationFailure"), contentLengthReason(request));
    default:
      return undefined;
  }
});

/** Protocol section 9: `Content-Length`, where visible, is an integer; any integer will do. */
export const contentLengthIsInteger = guard<Exchange>("contentLengthIsInteger", ({ request }) =>
  contentLengthFit(request) === "notAnInteger"
    ? refuse(loadBalancerPage, contentLengthReason(request))
    : undefined,
);
