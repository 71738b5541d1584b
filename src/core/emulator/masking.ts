import { characters, showUnknownKey } from "../general/text.ts";
import type { HeaderList } from "./message.ts";

export const HIDDEN = "‹hidden›";

/**
 * Names of fields, parameters and headers whose values are never shown; `username` too, because a client that mixes up
 * its fields may put the password there.
 */
const SECRET_NAME = /secret|password|^username$|(^|[_-])token$|^cookie$|^set-cookie$|api[-_]?key/i;
/** Known schemes of `Authorization` headers. Any other first word may itself be a credential. */
const SCHEME = /^(vws|basic|bearer|digest|aws|negotiate)$/i;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Whether a text that cannot be parsed, and so cannot be masked, may contain a secret. */
export const namesSecret = (text: string): boolean => /secret|password|token|api[-_]?key/i.test(text);

/** Masks credentials in header lines, each once. */
export function maskHeaders(headers: HeaderList): HeaderList {
  return headers.map(([name, value]) => {
    const isCredential = /^(proxy-)?authorization$/i.test(name);
    if (isCredential) return [name, maskAuthorization(value)];
    return [name, isSecretName(name) ? HIDDEN : value];
  });
}

/** Keeps the scheme, the beginning of an access key and the length of the rest. */
function maskAuthorization(value: string): string {
  // Already masked: no client can send this character.
  if (value.includes("‹")) return value;
  const space = value.indexOf(" ");
  const scheme = space < 0 ? "" : value.slice(0, space);
  if (!SCHEME.test(scheme)) return hiddenText(value);
  const credentials = value.slice(space + 1);
  const colon = credentials.indexOf(":");
  if (colon < 0 || !/^vws$/i.test(scheme)) return `${scheme} ${hiddenText(credentials)}`;
  return `${scheme} ‹key ${showUnknownKey(credentials.slice(0, colon))}›:${hiddenText(credentials.slice(colon + 1))}`;
}

const hiddenText = (text: string): string => `‹hidden, ${characters(text.length)}›`;

const USUAL_SCOPES = /^(modeltargets\.[a-z.]+( |$))*$/i;
/** The usual form of these values; other values may be misplaced secrets. */
const USUAL_VALUES = new Map([
  ["grant_type", /^[a-z_]{0,30}$/],
  ["scope", USUAL_SCOPES],
  ["scopes", USUAL_SCOPES],
]);
const isUsual = (name: string, value: string): boolean => USUAL_VALUES.get(name)?.test(value) ?? true;

/** Masks the values of secret parameters in a query string or a URL-encoded form. */
export function maskParameters(text: string): string {
  return text.replace(/(^|&)([^=&]*)=([^&]*)/g, (found, start: string, name: string) => {
    const [[parameter, value] = ["", ""]] = new URLSearchParams(found.slice(start.length));
    return isSecretName(parameter) || !isUsual(parameter, value) ? `${start}${name}=${HIDDEN}` : found;
  });
}

/** @param namedOnly - also hides strings outside of fields and unusual values: they may be misplaced secrets. */
export function maskJson(value: unknown, namedOnly: boolean): unknown {
  if (typeof value === "string") return namedOnly ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((each) => maskJson(each, namedOnly));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (isSecretName(name)) return [name, each === null ? null : HIDDEN];
      if (typeof each !== "string") return [name, maskJson(each, namedOnly)];
      return [name, namedOnly && !isUsual(name, each) ? HIDDEN : each];
    }),
  );
}

/** Masks the secret key in the target manager's message that another database has it. */
export const maskSentence = (text: string): string => text.replace(/(secret key )".*"/gs, `$1"${HIDDEN}"`);
