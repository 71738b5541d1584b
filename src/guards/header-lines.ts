import type { Exchange } from "../http/exchange.ts";
import { guard, type Refusal, refuse } from "../http/guard.ts";
import { headerTooLargePage } from "../responses/pages.ts";

const LONGEST_HEADER_LINE_BYTES = 8190;

/** Refuses a request with a header line, `name: value`, of more than 8190 bytes. */
export function headerLineRefusal({ request }: Exchange): Refusal | undefined {
  for (const [name, value] of request.headers) {
    const length = Buffer.byteLength(name) + 2 + Buffer.byteLength(value);
    if (length > LONGEST_HEADER_LINE_BYTES) {
      return refuse(
        headerTooLargePage,
        `the header line ${name} has ${length} bytes; at most ${LONGEST_HEADER_LINE_BYTES} are accepted`,
      );
    }
  }
  return undefined;
}

/** Row 1: every header line fits. */
export const headerLinesFit = guard<Exchange>("headerLinesFit", headerLineRefusal);
