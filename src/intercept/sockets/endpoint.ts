/** The destination of a connection, independent of the Node function that opens it. */
export interface Endpoint {
  readonly scheme: "http:" | "https:";
  /** Host in the form of {@link canonicalHost}. */
  readonly host: string;
  readonly port: number;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reads the arguments of `tls.connect`, `net.connect`, `Agent#createConnection` and `Socket#connect`: options, or a port and a
 * host, or one array of arguments that Node has normalized.
 *
 * @returns undefined for a pipe, and for arguments that Node will reject.
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

/** Normalizes a host name: lower case, without brackets and without a trailing dot. */
export const canonicalHost = (host: string): string =>
  host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
