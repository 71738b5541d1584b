import type { Answer } from "../http/endpoint.ts";
import type { Exchange } from "../http/exchange.ts";
import { textReply } from "../responses/plain.ts";
import { ManagerUnavailableError } from "../store/manager-client.ts";

/** What a client gets when the emulator itself cannot answer: one line of text (protocol section 11). */
export function failureReply(error: unknown, exchange: Exchange): Answer {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
  return error instanceof ManagerUnavailableError
    ? { reply: textReply(exchange, 502, reason), refusedBy: "targetManager", reason }
    : { reply: textReply(exchange, 500, `the emulator failed: ${reason}`), refusedBy: "emulator", reason };
}
