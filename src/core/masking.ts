import type { HeaderList } from "./message.ts";
import { showUnknownKey } from "./text.ts";

/** What stands in the place of a secret. */
export const HIDDEN = "‹hidden›";

/**
 * Names of fields, parameters and headers whose values are never shown; `username` too, because a client that mixes its
 * fields up puts the password there.
 */
const SECRET_NAME = /secret|password|^username$|(^|[_-])token$|^cookie$|^set-cookie$|api[-_]?key/i;
/** Of `Authorization` headers: whatever else stands in front of the credentials may be a credential itself. */
const SCHEME = /^(vws|basic|bearer|digest|aws|negotiate)$/i;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Header lines without what proves who sent them. Masking them again changes nothing. */
export function maskHeaders(headers: HeaderList): HeaderList {
  return headers.map(([name, value]) => {
    const isCredential = /^(proxy-)?authorization$/i.test(name);
    if (isCredential) return [name, maskAuthorization(value)];
    return [name, isSecretName(name) ? HIDDEN : value];
  });
}

/** Keeps the scheme, the beginning of an access key and the length of the rest. */
function maskAuthorization(value: string): string {
  // No client can send this character in a header.
  if (value.includes("‹")) return value;
  const space = value.indexOf(" ");
  const scheme = space < 0 ? "" : value.slice(0, space);
  if (!SCHEME.test(scheme)) return hiddenText(value);
  const credentials = value.slice(space + 1);
  const colon = credentials.indexOf(":");
  if (colon < 0 || !/^vws$/i.test(scheme)) return `${scheme} ${hiddenText(credentials)}`;
  return `${scheme} ‹key ${showUnknownKey(credentials.slice(0, colon))}›:${hiddenText(credentials.slice(colon + 1))}`;
}

const hiddenText = (text: string): string => `‹hidden, ${text.length} characters›`;

/** A query string, or a form in its encoding, without the values of parameters whose name says that they are secret. */
export function maskParameters(text: string): string {
  return text.replace(/(^|&)([^=&]*)=([^&]*)/g, (found, start: string, name: string) =>
    isSecretName(new URLSearchParams(`name=${name}`).get("name") ?? "") ? `${start}${name}=${HIDDEN}` : found,
  );
}

/**
 * A JSON value without what stands under a name that says it is secret.
 *
 * @param namedOnly - text that stands under no name of its own is hidden too, because a secret may have been put there.
 */
export function maskJson(value: unknown, namedOnly: boolean): unknown {
  if (typeof value === "string") return namedOnly ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((each) => maskJson(each, namedOnly));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (isSecretName(name)) return [name, each === null ? null : HIDDEN];
      return [name, typeof each === "string" ? each : maskJson(each, namedOnly)];
    }),
  );
}

/** A sentence of the target manager's that quotes a key which is taken. */
export const maskSentence = (text: string): string => text.replace(/(secret key )".*"/gs, `$1"${HIDDEN}"`);
