import { AsyncResource } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { MemorySocket } from "./memory-socket.ts";
import { keepContextsOfQueued } from "./queued-requests.ts";
import { CREATED, SENDING, SENT } from "./undici-state.ts";

/**
 * Tells connections in memory which calls sent their requests: undici writes a request in any call of its pool.
 *
 * @returns a function that ends this.
 */
export function followRequests(): () => void {
  const contexts = new WeakMap<object, AsyncResource>();
  const sockets = new WeakMap<object, MemorySocket>();
  const created = (message: unknown) => {
    const request = field(message, "request");
    // undici publishes this within the client's call, whose context is the request's.
    if (request !== undefined) contexts.set(request, new AsyncResource("HTTPCLIENTREQUEST"));
  };
  const sending = (message: unknown) => {
    const [request, socket] = [field(message, "request"), field(message, "socket")];
    const context = request && contexts.get(request);
    if (request === undefined || context === undefined || !(socket instanceof MemorySocket)) return;
    socket.announceRequest(context);
    sockets.set(request, socket);
  };
  const sent = (message: unknown) => {
    const request = field(message, "request");
    if (request !== undefined) sockets.get(request)?.endRequest();
  };
  const stopKeeping = keepContextsOfQueued();
  subscribe(CREATED, created);
  subscribe(SENDING, sending);
  subscribe(SENT, sent);
  return () => {
    stopKeeping();
    unsubscribe(CREATED, created);
    unsubscribe(SENDING, sending);
    unsubscribe(SENT, sent);
  };
}

export function field(message: unknown, name: string): object | undefined {
  const value: unknown =
    typeof message === "object" && message !== null ? Reflect.get(message, name) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}
