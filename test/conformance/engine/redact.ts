import { asciiJson } from "../../support/values.ts";

const HIDDEN = "‹hidden›";

const ESCAPES = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
const xmlText = (text: string): string =>
  ["&", "<", ">", '"', "'"].reduce((all, one, index) => all.replaceAll(one, ESCAPES[index] ?? one), text);

/** Secrets that services make: tokens, credentials, and what signs the URL of a report, whose scope is none. */
const SENT_BACK =
  /("(?:access_token|client_secret)":\s*"|[?&](?:[\w-]+-)?(?:Security-Token|Signature)=)[^"&\s]*|([?&](?:[\w-]+-)?Credential=)[^"&\s%/]*/gi;

/** A run of base64, as it is or within JSON or a URL. */
const BASE64 = /(?:[\w+/-]|\\\/|%2[BbFf]){12,}(?:=|%3[Dd]){0,2}/g;

/** Whether base64 has a secret in it, wherever the base64 begins in a run of its characters. */
function holds(run: string, secrets: readonly string[]): boolean {
  const plain = run.replaceAll("\\/", "/").replaceAll(/%2b/gi, "+").replaceAll(/%2f/gi, "/");
  return [0, 1, 2, 3].some((start) => {
    const text = Buffer.from(plain.slice(start), "base64").toString();
    return secrets.some((secret) => text.includes(secret));
  });
}

/** How a secret may come back: as it is, or as a part of JSON, of XML, of a URL or of a form. */
const formsOf = (secret: string): readonly string[] => {
  const encoded = [
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  const inLowerCase = encoded.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase()));
  const json = [JSON.stringify(secret), asciiJson(secret)].map((form) => form.slice(1, -1));
  return [
    secret,
    ...json,
    ...json.map((form) => form.replaceAll("/", "\\/")),
    xmlText(secret),
    ...encoded,
    ...inLowerCase,
  ];
};

/** A function that hides these secrets, and tokens, wherever they occur in a text, in base64 too. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const all = [...secrets].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const forms = [...new Set(all.flatMap(formsOf))];
  return (text) => {
    let hidden = text.replaceAll(SENT_BACK, `$1$2${HIDDEN}`);
    for (const form of forms) hidden = hidden.replaceAll(form, HIDDEN);
    return hidden.replaceAll(BASE64, (run) => (holds(run, all) ? HIDDEN : run));
  };
}
