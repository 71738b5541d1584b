import { AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { Socket } from "node:net";
import { isFunction, replace } from "../replace.ts";
import { isRecord } from "./openers.ts";
import { stateOf } from "./undici-state.ts";

/** Of undici's dispatchers, in every copy of undici that was seen: dispatchers outlive mocks. */
const prototypes = new Set<object>();

interface Given {
  /** The first dispatcher that got the request: an agent or a pool gives it to others. */
  readonly dispatcher: unknown;
  readonly context: AsyncResource;
}

/** By handler, of which a request has one. */
const given = new WeakMap<object, Given>();

/**
 * Lets a request that waits in a pool of undici keep its asynchronous context. Up to version 7, it gets that of the request before it,
 * whose end lets it go on.
 *
 * @returns a function that ends this.
 */
export function keepContextsOfQueued(): () => void {
  const restorers: (() => void)[] = [];
  const wrapMethods = (prototype: object) => {
    for (const name of Reflect.ownKeys(prototype).filter(isDispatch))
      restorers.push(
        replace(prototype, name, (original) => {
          return function (...args) {
            follow(this);
            const [, handler] = args;
            if (!isRecord(handler)) return original.apply(this, args);
            const known = given.get(handler);
            // From another dispatcher: an agent or pool hands the request on, now or when a connection is free. Back to its own context.
            if (known !== undefined && known.dispatcher !== this)
              return known.context.runInAsyncScope(original, this, ...args);
            // From the client, so that this call's context is the request's.
            given.set(handler, { dispatcher: this, context: new AsyncResource("QUEUEDREQUEST") });
            return original.apply(this, args);
          };
        }),
      );
  };
  const follow = (dispatcher: unknown): void => {
    for (const prototype of prototypesOf(dispatcher)) {
      if (prototypes.has(prototype)) continue;
      prototypes.add(prototype);
      wrapMethods(prototype);
    }
  };
  // Dispatchers of earlier mocks may be used again without any of the calls below.
  for (const prototype of prototypes) wrapMethods(prototype);
  // Dispatchers are emitters, and an agent or pool makes another one for its first request. Bun's emitters have no such function.
  if (isFunction(Reflect.get(EventEmitter, "init")))
    restorers.push(
      replace(EventEmitter, "init", (original) => {
        return function (...args) {
          if (isDispatcher(this)) follow(this);
          return original.apply(this, args);
        };
      }),
    );
  // A pool that has an idle connection from before the mock makes no dispatcher: it calls this for its first request.
  restorers.push(
    replace(Socket.prototype, "ref", (original) => {
      return function (...args) {
        if (this instanceof Socket) follow(stateOf(this, "client"));
        return original.apply(this, args);
      };
    }),
  );
  return () => {
    for (const restore of restorers.reverse()) restore();
  };
}

/** A dispatcher's public method checks a request, and its own one sends or queues it. */
const isDispatch = (name: string | symbol): boolean =>
  (typeof name === "symbol" ? name.description : name) === "dispatch";

/** Its prototypes, without those that other emitters have. */
function prototypesOf(value: unknown): object[] {
  const all: object[] = [];
  let prototype: object | null = isRecord(value) ? Object.getPrototypeOf(value) : null;
  while (prototype !== null && prototype !== EventEmitter.prototype && prototype !== Object.prototype) {
    all.push(prototype);
    prototype = Object.getPrototypeOf(prototype);
  }
  return all;
}

/** Calls no getter: what is being constructed may not be ready for it. */
const isDispatcher = (emitter: unknown): boolean =>
  prototypesOf(emitter).some((prototype) =>
    isFunction(Object.getOwnPropertyDescriptor(prototype, "dispatch")?.value),
  );
