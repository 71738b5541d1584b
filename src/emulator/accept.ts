/** The media ranges that cover JSON, from the most specific to the most general. */
const JSON_RANGES = ["application/json", "application/*", "*/*"];

/** Whether one of an `Accept` header's media ranges covers `application/json` with a quality above 0. */
export const acceptsJson = (accept: string): boolean => isAccepted(accept, JSON_RANGES);

/** Whether an `Accept-Encoding` header allows an encoding. Without the header, only the identity is certain. */
export const acceptsEncoding = (header: string | undefined, encoding: string): boolean =>
  header !== undefined && isAccepted(header, [encoding, "*"]);

/**
 * Whether a list of alternatives with qualities accepts something.
 *
 * @param names - entries that cover it, from the most specific to the most general: the first one in the list decides.
 */
function isAccepted(list: string, names: readonly string[]): boolean {
  const qualities = new Map<string, number>();
  for (const entry of list.split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    qualities.set(name, Math.max(qualities.get(name) ?? 0, qualityOf(parameters)));
  }
  const deciding = names.find((name) => qualities.has(name));
  return deciding !== undefined && (qualities.get(deciding) ?? 0) > 0;
}

/** 1 when it is not given, or is not a number. */
function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const quality = given === undefined ? 1 : Number(given.slice(given.indexOf("=") + 1));
  return Number.isNaN(quality) ? 1 : quality;
}
