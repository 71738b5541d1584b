import { check } from "../../emulator/check.ts";
import type { Context } from "../../emulator/context.ts";
import { header, type WireRequest } from "../../emulator/message.ts";
import { type DeclaredResponse, refuse } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { headerTooLargePage, loadBalancerPage } from "./pages.ts";
import { failure, streamTimeout } from "./target-responses.ts";

const LONGEST_HEADER_LINE_BYTES = 8190;
/** Between a header's name and its value. */
const SEPARATOR = ": ";

/** Row 1 of both tables: no header line is too long. On the wire, each character of a line is one byte. */
export const headerLinesFit = check({
  name: "headerLinesFit",
  refusals: [headerTooLargePage],
  test: ({ request }: Context) => {
    for (const [name, value] of request.headers) {
      const length = name.length + SEPARATOR.length + value.length;
      if (length > LONGEST_HEADER_LINE_BYTES)
        return `the header line ${name} has ${length} bytes; expected at most ${LONGEST_HEADER_LINE_BYTES}`;
    }
    return true;
  },
});

/** How `Content-Length` compares with the body. A header that is not visible counts as right. */
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

/**
 * `Content-Length`, where visible, is an integer and equals the body's length.
 *
 * @param responses - by what is wrong with it.
 */
export const contentLengthCheck = (
  responses: Readonly<Record<Exclude<ReturnType<typeof contentLengthFit>, "fits">, DeclaredResponse>>,
) =>
  check({
    name: "contentLengthFits",
    refusals: Object.values(responses),
    test: ({ request }: Context) => {
      const fit = contentLengthFit(request);
      return fit === "fits" || refuse(responses[fit], contentLengthReason(request));
    },
  });

/** Row 25 of the target API's table. */
export const contentLengthFits = contentLengthCheck({
  notAnInteger: loadBalancerPage,
  tooLarge: streamTimeout,
  tooSmall: failure("AuthenticationFailure"),
});
