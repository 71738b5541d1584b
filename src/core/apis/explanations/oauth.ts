import { header, type WireRequest } from "../../emulator/message.ts";
import { isUnset, percentDecoded, show, showUnknownKey, utf8TextOf } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { ClientProblem, SecretProblem, TokenScheme } from "../../schema/causes/oauth.ts";
import { isUnreadText } from "./bodies.ts";
import { lacksHeaders } from "./values.ts";

/** Shows an id in full, unless it is a secret in the place of an id. */
export type ShowId = (id: string) => string;

/** @param secrets - that are never shown. */
export const showingId =
  (secrets: readonly string[]): ShowId =>
  (id) =>
    [id, percentDecoded(id)].some((each) => secrets.some((secret) => secret !== "" && each.includes(secret)))
      ? showUnknownKey(id)
      : show(id);

/** Explains an `Authorization` header of a token request that is no well-formed HTTP Basic. */
export function malformedClient(given: string, showId: ShowId): AnyCause {
  if (/^bearer\b/i.test(given)) return cause("client.other-api", { problem: "bearer" });
  if (/^vws\b/i.test(given)) return cause("client.other-api", { problem: "vws" });
  const [, scheme = "", space = "", rest = ""] = /^(basic)?(:?\s*)(.*)$/is.exec(given) ?? [];
  const sent = rest.trim();
  if (isUnreadText(sent)) return cause("client.unset", { text: sent });
  const { problem, id } = problemOf(sent);
  const isRight = scheme === "Basic" && space === " ";
  const ofScheme: ClientProblem | undefined = isRight ? undefined : schemeProblem(scheme, space, sent);
  const other = schemeOf(given);
  return cause("client.malformed", {
    problem: ofScheme ?? problem ?? "spaces",
    ...(other !== undefined && other !== "Basic" && { scheme: show(other) }),
    ...(id !== undefined && id !== "" && { client: showId(id) }),
  });
}

/** A known scheme, as it was sent: any other first word may be a secret. */
const schemeOf = (given: string): string | undefined =>
  /^(?:basic|bearer|token|jwt|oauth|digest|apikey|vws)(?=[ :])/i.exec(given)?.[0];

function schemeProblem(scheme: string, space: string, sent: string): ClientProblem | undefined {
  if (scheme === "") return "scheme";
  if (scheme !== "Basic") return "case";
  if (sent === "") return "nothing";
  return space === "" || space.startsWith(":") ? "space" : "spaces";
}

const textOf = (encoded: string, encoding: "base64" | "hex" = "base64"): string | undefined =>
  utf8TextOf(Buffer.from(encoded, encoding));

const idIn = (pair: string | undefined): string | undefined =>
  pair?.includes(":") === true ? pair.slice(0, pair.indexOf(":")) : undefined;

/** What is wrong with what follows `Basic`, and the client id in it. */
function problemOf(sent: string): { readonly problem?: ClientProblem; readonly id?: string | undefined } {
  if (sent === "") return { problem: "nothing" };
  if (/^["'].*["']$/.test(sent)) return { problem: "quoted", id: problemOf(sent.slice(1, -1)).id };
  if (sent.includes(":")) return { problem: "plain", id: idIn(sent) };
  if (sent.includes("%")) return { problem: "percent", id: idIn(textOf(percentDecoded(sent))) };
  if (/\s/.test(sent)) return { problem: "spaces", id: idIn(textOf(sent)) };
  if (/^(?:[0-9a-f]{2})+$/i.test(sent)) {
    const id = idIn(textOf(sent, "hex"));
    if (id !== undefined) return { problem: "hex", id };
  }
  if (!/^[A-Za-z0-9+/_-]+=*$/.test(sent)) return { problem: "base64" };
  const text = textOf(sent);
  if (text === undefined) return { problem: "text" };
  const id = idIn(text);
  if (id === undefined) {
    const inner = idIn(textOf(text));
    return inner === undefined || !/^[A-Za-z0-9+/]+=*$/.test(text)
      ? { problem: "colon" }
      : { problem: "twice", id: inner };
  }
  if (/[-_]/.test(sent)) return { problem: "url", id };
  return sent.length % 4 === 0 ? { id } : { problem: "padding", id };
}

/** Explains a token request without an `Authorization` header. */
export function missingClient(
  { query }: WireRequest,
  text: string,
  form: URLSearchParams,
  showId: ShowId,
): AnyCause {
  if (/^\s*\{/.test(text)) return cause("client.missing", { misplaced: "json" });
  const inQuery = new URLSearchParams(query);
  for (const [misplaced, fields] of [
    ["form", form],
    ["query", inQuery],
  ] as const) {
    const names = [...fields.keys()].filter((name) => NAMES.test(name));
    if (names.length === 0) continue;
    const id = [...fields].find(([name]) => /id$/i.test(name) && NAMES.test(name))?.[1];
    return cause("client.missing", {
      misplaced,
      fields: [...new Set(names)],
      ...(id !== undefined && { client: showId(id) }),
    });
  }
  return cause("client.missing");
}

/** The fields of client_secret_post, and what clients call them. */
const NAMES = /^client[-_]?(?:id|secret)$/i;

/** What is wrong with a secret or an id, by the right one; undefined if it is another one. */
export function problemWith(given: string, known: readonly string[]): SecretProblem | undefined {
  if (given === "") return "empty";
  if (isUnset(given)) return "unset";
  if (known.includes(given.trim())) return "space";
  if (known.includes(given.trim().replace(/^(["'])(.*)\1$/, "$2"))) return "quoted";
  return known.some((each) => each.toLowerCase() === given.toLowerCase()) ? "case" : undefined;
}

/** Explains a request without a bearer token: what is in its place. */
export function missingToken(request: WireRequest): AnyCause {
  const given = header(request, "authorization") ?? "";
  const is = tokenScheme(given);
  if (is === undefined)
    return cause("token.missing", { isSigned: /^vws /i.test(given), isLost: lacksHeaders(request) });
  const scheme = schemeOf(given);
  return cause("token.scheme", { is, ...(scheme !== undefined && { scheme: show(scheme) }) });
}

function tokenScheme(given: string): TokenScheme | undefined {
  if (given === "" || /^vws /i.test(given)) return undefined;
  if (/^basic\b/i.test(given)) return "basic";
  if (/^bearer\s*$/i.test(given)) return "nothing";
  if (/^bearer:/i.test(given)) return "colon";
  if (/^Bearer[\w-]/.test(given)) return "space";
  if (/^bearer/i.test(given)) return "case";
  return /^\S+ \S/.test(given) ? "other" : "none";
}
