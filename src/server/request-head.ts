import type { IncomingMessage } from "node:http";
import type { WireRequest } from "../http/wire-message.ts";

/** A request up to its body. */
export type RequestHead = Omit<WireRequest, "body">;

export function headOf({ method = "", url = "", rawHeaders }: IncomingMessage): RequestHead {
  const headers: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return { method, ...splitTarget(url), headers };
}

/**
 * What can be read of a request that the HTTP parser gave up on; nothing when its first line is not there.
 *
 * @param packet - the last bytes that came, which for a request of ordinary size is its whole head.
 */
export function salvagedHead(packet: Buffer): RequestHead | undefined {
  const [head = ""] = packet.toString("latin1").split("\r\n\r\n", 1);
  const [first = "", ...lines] = head.split("\r\n");
  const found = /^([A-Z-]+) (\S+) HTTP\/\d\.\d$/.exec(first);
  if (found === null) return undefined;
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]];
  });
  return { method: found[1] ?? "", ...splitTarget(found[2] ?? ""), headers };
}

/** Path and query of a request target; that of a request through a proxy begins with scheme and host. */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path === "" ? "/" : path, query: mark < 0 ? "" : local.slice(mark + 1) };
}
