import { connectionError, unhandledError } from "../answer.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { replace } from "../replace.ts";
import type { OtherHosts } from "../unhandled-requests.ts";
import { fetchFrom } from "./fetch-transport.ts";

/** Bun's and Deno's `fetch` opens connections by itself, not with the functions of node:net and node:tls. */
const isNative = "bun" in process.versions || "deno" in process.versions;

/**
 * Replaces a `fetch` whose connections cannot be intercepted. One that was captured before cannot be noticed.
 *
 * @returns a function that restores it.
 */
export function interceptNativeFetch(hosts: HostTable, others: OtherHosts): () => void {
  if (!isNative) return () => {};
  return replace(globalThis, "fetch", (original) => {
    const send = async (input: string | URL | Request, init?: RequestInit): Promise<unknown> => {
      const text = input instanceof Request ? input.url : String(input);
      const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
      const origin = url && originOf(url);
      if (url === undefined || origin === undefined)
        return Reflect.apply(original, globalThis, [input, init]);
      if (hosts.has(origin)) return fetchFrom(hosts, new Request(input, init));
      const why = others.whyClosed(url.hostname);
      if (why !== undefined) {
        const message = `connect to ${origin.slice(origin.indexOf("//") + 2)} ${why}`;
        throw new TypeError("fetch failed", { cause: connectionError({ kind: "refused", message }) });
      }
      if (others.mayPass(origin)) return Reflect.apply(original, globalThis, [input, init]);
      const method = init?.method ?? (input instanceof Request ? input.method : "GET");
      throw unhandledError(method, origin, url.pathname + url.search);
    };
    // Bun's function has properties of its own.
    return Object.setPrototypeOf((...args: unknown[]) => Reflect.apply(send, undefined, args), original);
  });
}
