import { createRequire } from "node:module";
import { Duplex } from "node:stream";
import { propertyOf } from "../../core/general/property.ts";
import { isFunction, replace } from "../replace.ts";
import { destinationsOf, type KeptConnectionHandler } from "./kept-connections.ts";
import { stateOf } from "./undici-state.ts";

/** Found once, because it takes a session to find it. */
let knownPrototype: object | undefined;

/** The native class beneath HTTP/2 clients, once some code has loaded them: loading takes longer than starting a mock. */
function handlePrototype(): object | undefined {
  const loaded: unknown = Reflect.get(process, "moduleLoadList");
  if (!Array.isArray(loaded) || !loaded.includes("NativeModule http2")) return undefined;
  knownPrototype ??= findPrototype();
  return knownPrototype;
}

function findPrototype(): object {
  const { connect }: typeof import("node:http2") = createRequire(import.meta.url)("node:http2");
  const session = connect("http://localhost", {
    // Each write ends, because a session keeps what it is still sending.
    createConnection: () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }),
  });
  const handle = stateOf(session, "kHandle");
  session.on("error", () => {}).destroy();
  return Object.getPrototypeOf(Object(handle));
}

/** What the native method returns for a stream that cannot be opened while others can. */
const NO_STREAM = -501;

/**
 * Refuses new streams of HTTP/2 sessions to refused endpoints and blocked origins, and closes these after the streams in progress.
 * Not in `request` of the session, which http2-wrapper keeps for each of its sessions.
 *
 * @returns a function that ends this; undefined if no code has loaded HTTP/2, so that there are no sessions.
 */
export function guardSessions(handler: KeptConnectionHandler): (() => void) | undefined {
  const prototype = handlePrototype();
  if (prototype === undefined) return undefined;
  return replace(prototype, "request", (original) => {
    return function (...args) {
      // The native object beneath the session, which every stream needs, however the client opens it.
      const session = Object(stateOf(Object(this), "owner_symbol"));
      const refuse = refuserOf(handler, session);
      if (refuse === undefined) return original.apply(this, args);
      // One, or more if the session was not connected yet.
      for (const stream of [...Object(propertyOf(stateOf(session, "state"), "pendingStreams"))])
        if (stream instanceof Duplex) stream.destroy(refuse(Object(propertyOf(stream, "sentHeaders"))));
      const close = propertyOf(session, "close");
      // undici closes its sessions itself.
      if (isFunction(close) && stateOf(session, "client") === undefined) close.call(session);
      return NO_STREAM;
    };
  });
}

function refuserOf(
  handler: KeptConnectionHandler,
  session: object,
): ((headers: Readonly<Record<string, unknown>>) => Error | undefined) | undefined {
  const destinations = destinationsOf(Object(propertyOf(session, "socket")));
  const refused = destinations.find((endpoint) => handler.isRefused(endpoint));
  if (refused !== undefined) return () => handler.refuseKept(refused);
  const origin = destinations.length > 0 ? originOfSession(session) : undefined;
  if (origin === undefined || !handler.isBlocked(origin)) return undefined;
  return ({ ":method": method, ":path": path = "" }) =>
    handler.refuseBlocked(String(method), { origin, path: String(path) });
}

/** What the client asked for, also behind a proxy. */
function originOfSession(session: object): string | undefined {
  const [scheme, authority] = ["protocol", "authority"].map((name) => stateOf(session, name));
  return typeof authority === "string" ? `${scheme}//${authority}` : undefined;
}
