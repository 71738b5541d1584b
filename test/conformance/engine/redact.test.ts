import { expect, test } from "vitest";
import { redactor } from "./redact.ts";

const SECRETS = [
  "server secret/key",
  "client secret+key",
  "m0del target/s&cret",
  'p@ss "word"&more',
  "sécret-of-ü",
];
const hide = redactor(SECRETS);

/** How a service may send a secret back. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in JSON": (secret) => JSON.stringify({ secret }),
  "in JSON with escaped slashes": (secret) => JSON.stringify({ secret }).replaceAll("/", "\\/"),
  "in JSON of ASCII": (secret) =>
    JSON.stringify(secret).replaceAll(
      /[^ -~]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "in XML": (secret) => secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  "in a URL": (secret) => `https://a.example/?q=${encodeURIComponent(secret)}&x=1`,
  "in a URL, in lower case": (secret) =>
    encodeURIComponent(secret).replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase()),
  "in a form": (secret) => new URLSearchParams({ grant_type: "password", password: secret }).toString(),
  "in base64": (secret) => `Basic ${Buffer.from(`id:${secret}`).toString("base64")}`,
  "in base64 of a URL": (secret) => encodeURIComponent(Buffer.from(`id:${secret}:`).toString("base64")),
};

test.each(Object.entries(FORMS))("hides secrets %s, and leaves the rest", (_name, form) => {
  for (const secret of SECRETS) {
    const shown = hide(`before ${form(secret)} after`);
    expect(shown).not.toContain(form(secret));
    expect(shown).not.toContain(secret);
    expect(shown).toContain("‹hidden›");
    expect(shown).toMatch(/^before .* after$/);
  }
});

test("hides secrets that a service makes", () => {
  const sent = '{"access_token":"abc.def.ghi","client_secret":"x1"} /r.csv?X-Amz-Signature=12ab&X-Amz-Date=1';
  expect(hide(sent)).toBe(
    '{"access_token":"‹hidden›","client_secret":"‹hidden›"} /r.csv?X-Amz-Signature=‹hidden›&X-Amz-Date=1',
  );
});
