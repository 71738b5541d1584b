export const number = (value: number): string => value.toLocaleString("en-GB");

export const count = (value: number, one: string): string =>
  `${number(value)} ${one}${value === 1 ? "" : "s"}`;

/** How many rows a list shows, and of how many if these are more. */
export const shownOf = (shown: number, total: number, one: string): string =>
  shown < total ? `${number(shown)} of ${count(total, one)}` : count(total, one);

export const commaSeparated = (...parts: readonly (string | false | null)[]): string =>
  parts.filter((part) => typeof part === "string").join(", ");

/** In the largest fitting unit and the next smaller one. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const both = (unit: number, name: string, smaller: number, smallerName: string) => {
    const rest = Math.floor((seconds % unit) / smaller);
    return `${Math.floor(seconds / unit)} ${name}${rest === 0 ? "" : ` ${rest} ${smallerName}`}`;
  };
  if (seconds < 3600) return both(60, "min", 1, "s");
  return seconds < 172_800 ? both(3600, "h", 60, "min") : both(86_400, "days", 3600, "h");
}

export function byteCount(size: number): string {
  if (size < 1000) return count(size, "byte");
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

export const milliseconds = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

interface PictureFacts {
  readonly format: string;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly size: number;
}

export const pictureFacts = ({ format, width, height, size }: PictureFacts): string =>
  `${format}${width == null ? "" : `, ${width} × ${height}`}, ${byteCount(size)}`;

/** Names of checks and parts of the emulator, for people. */
const LABELS: Readonly<Record<string, string>> = {
  allowanceLeft: "The rate limit is reached",
  authenticated: "The request is not authenticated",
  authorizationGiven: "The Authorization header is missing",
  authorizationWellFormed: "The Authorization header is malformed",
  bearerToken: "The token is missing or invalid",
  bodyGiven: "The body is missing",
  bodyIsJsonObject: "The body is not a JSON object",
  bodyLimit: "The body is too large",
  overload: "Too many requests at a time",
  contentTypeGiven: "The Content-Type header is missing",
  dateCurrent: "The date is too far from the clock",
  dateGiven: "The Date header is missing",
  dateWellFormed: "The Date header is malformed",
  emulator: "The emulator itself failed",
  fieldsKnown: "The request has an unknown field",
  http: "The request is not valid HTTP",
  imageAcceptable: "The image is not acceptable",
  imageDecoder: "The image could not be decoded",
  imageGiven: "The image is missing",
  imageOpens: "The image cannot be opened",
  imageSmallEnough: "The image is too large",
  knownAccessKey: "No database has this access key",
  knownTarget: "No target has this id",
  metadataFits: "The metadata is not acceptable",
  nameFree: "Another target has this name",
  projectActive: "The project is not active",
  requestQuotaLeft: "The request quota is used up",
  signatureMatches: "The signature is wrong",
  targetManager: "The target manager did not answer",
  targetQuotaLeft: "The target quota is used up",
  templateProcessed: "The VuMark target is still processing",
  transport: "The connection was refused",
  trustedHost: "The host name is not trusted",
  trustedOrigin: "The origin is not trusted",
  validJson: "The body is not valid JSON",
  widthPositive: "The width is not above 0",
  withinRateLimits: "The rate limit is reached",
};

/** A reason as a sentence of the page. */
export const sentence = (reason: string): string =>
  reason.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());

export function refusalLabel(check: string | undefined): string {
  const words = check?.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[check ?? "emulator"] ?? `Not fulfilled: ${words}`;
}
