import type { Socket } from "node:net";
import { propertyOf } from "../../core/general/property.ts";
import { isRecord } from "./openers.ts";
import { urlIn } from "./requested-hosts.ts";

/* undici and Node keep their state of a connection on the socket, by symbols that they do not export. They are found by their descriptions. */

/** undici, the package and Node's own, publishes on these when a client calls it, before it writes a head, and after a body. */
export const CREATED = "undici:request:create";
export const SENDING = "undici:client:sendHeaders";
export const SENT = "undici:request:bodySent";

/** By description, the symbol that was found last: nearly always the next owner's too, unless several copies of undici are in use. */
const latest = new Map<string, symbol>();

/** The symbol with this description under which an object has a property of its own. */
export function symbolOf(owner: object, description: string): symbol | undefined {
  const last = latest.get(description);
  if (last !== undefined && Object.hasOwn(owner, last)) return last;
  const found = Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description);
  if (found !== undefined) latest.set(description, found);
  return found;
}

export function stateOf(owner: object, description: string): unknown {
  const symbol = symbolOf(owner, description);
  return symbol && propertyOf(owner, symbol);
}

/** Whether a client of undici speaks HTTP/1.1 on it. */
export const isInUndici = (socket: Socket): boolean => Boolean(stateOf(socket, "parser"));

/** The URL of the client that has a connection, also behind a proxy. */
export function urlInUndici(socket: object): URL | undefined {
  const client = stateOf(socket, "client");
  return isRecord(client) ? urlIn(stateOf(client, "url")) : undefined;
}

/** Whether each request that was sent on it has its whole response. */
export function isIdleInUndici(socket: Socket): boolean {
  const client = stateOf(socket, "client");
  const [sent, answered] = ["pending index", "running index"].map((name) =>
    isRecord(client) ? stateOf(client, name) : undefined,
  );
  return isInUndici(socket) && sent === answered;
}
