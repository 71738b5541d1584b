import http, { OutgoingMessage } from "node:http";
import { setImmediate } from "node:timers";
import { replace } from "../replace.ts";

// Captured when this module loads, before a test fakes timers.
const realSetImmediate = setImmediate;

/**
 * Lets clients that wait for `100 Continue` send their bodies at once: nock responds only after the body, so that they would wait
 * forever. Every request of node:http is given to an agent, nock's too.
 *
 * @param isServed - whether a mock serves an intercepted request.
 * @returns a function that restores the agent.
 */
export function continueAtOnce(isServed: (request: OutgoingMessage) => boolean): () => void {
  return replace(http.Agent.prototype, "addRequest", (original) => {
    return function (...args) {
      const [request] = args;
      if (request instanceof OutgoingMessage && /^100-continue$/i.test(String(request.getHeader("expect")))) {
        realSetImmediate(() => {
          if (!request.destroyed && isServed(request)) request.emit("continue");
        });
      }
      return Reflect.apply(original, this, args);
    };
  });
}
