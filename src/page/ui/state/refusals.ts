/** What people call the checks that refuse most requests, and the parts of the emulator that refuse some. */
const LABELS: Readonly<Record<string, string>> = {
  allowanceLeft: "The rate limit is reached",
  authenticated: "The request is not authenticated",
  authorizationGiven: "The Authorization header is missing",
  authorizationWellFormed: "The Authorization header is malformed",
  bearerToken: "The token is missing or invalid",
  bodyGiven: "The body is missing",
  bodyIsJsonObject: "The body is not a JSON object",
  bodyLimit: "The body is too large",
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

/** Why a check refused a request, as a heading. */
export function refusalLabel(check: string | undefined): string {
  const words = check?.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[check ?? "emulator"] ?? `Not fulfilled: ${words}`;
}
