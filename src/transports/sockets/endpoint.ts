/** Where a connection is opened to, whichever of Node's functions opens it. */
export interface Endpoint {
  readonly scheme: "http:" | "https:";
  /** As {@link canonicalHost} writes it. */
  readonly host: string;
  readonly port: number;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reads the arguments of `tls.connect`, `net.connect`, `Agent#createConnection` and `Socket#connect`: options, or a port and a
 * host; what Node has normalized comes as one array.
 *
 * @returns undefined for a pipe, and for what Node will refuse.
 */
export function endpointOf(scheme: Endpoint["scheme"], args: readonly unknown[]): Endpoint | undefined {
  const given: readonly unknown[] = Array.isArray(args[0]) ? args[0] : args;
  const [first, second] = given;
  const options = { ...given.find(isRecord) };
  if (!isRecord(first)) options.port = first;
  if (typeof second === "string") options.host = second;
  if (options.path || options.socketPath) return undefined;
  const port = Number(options.port ?? (scheme === "http:" ? 80 : 443));
  if (!Number.isInteger(port)) return undefined;
  return { scheme, host: canonicalHost(String(options.host ?? "localhost")), port, options };
}

/** One spelling for all that name the same host: in capitals, in brackets, with the dot of the root. */
export const canonicalHost = (host: string): string =>
  host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
