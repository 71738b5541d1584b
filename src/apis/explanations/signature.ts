import { header } from "../../emulator/message.ts";
import type { SigningKeys } from "../../emulator/signing.ts";
import type { ApiContext } from "../services.ts";
import { missingDateAdvice } from "./date.ts";
import { findMistakes, type Secret } from "./signature-mistakes.ts";
import { joined, rightLines, wrongVariants } from "./signed-variants.ts";

/** How many other databases' secrets are tried. */
const MOST_OTHER_DATABASES = 100;

/**
 * Explains why a signature does not match: tries common mistakes of clients, alone and in pairs. If one of them produces
 * the signature that was sent, shows both strings to sign with their first difference marked, and notes them for the
 * journal. Never shows a secret key.
 *
 * @param keys - those of the database that the access key belongs to.
 * @param otherSecrets - other secrets of that database, by the name to show.
 */
export async function explainSignature(
  context: ApiContext,
  keys: SigningKeys & { readonly databaseName: string },
  otherSecrets: Readonly<Record<string, string>>,
): Promise<string> {
  const { request, notes } = context;
  const given = header(request, "authorization") ?? "";
  const scheme = given.replace(/ .*$/, "");
  const signature = given.slice(given.indexOf(":") + 1);
  const right = rightLines(request, context.body.digest);
  const expected = joined(right);
  notes.signature = { expected };
  const explained = await findMistakes(signature, right, {
    ownSecrets: [{ key: keys.secretKey }, ...mistakenFor(keys, otherSecrets)],
    otherSecrets: await secretsOfOthers(context, keys),
    variants: () => wrongVariants(request, right),
  });
  if (explained !== undefined) {
    const { advice, signed } = explained;
    const all = [...(scheme === "VWS" ? [] : [schemeAdvice(scheme)]), ...advice];
    // Only the scheme is wrong.
    if (advice.length === 0) return `the signature is right, but ${all.join("; and ")}`;
    if (signed === expected) return all.join("; and ");
    notes.signature = { expected, signed };
    return (
      `the signature does not match: ${all.join("; and ")}. String to sign, expected: ${marked(expected, signed)}; ` +
      `signed: ${marked(signed, expected)}`
    );
  }
  const advice =
    header(request, "date") === undefined
      ? `the signature does not match, and ${missingDateAdvice(request)}: send the Date that was signed`
      : "the signature does not match, and no common mistake explains it: check the secret key";
  return `${advice}, and that exactly this is signed (method, MD5 of the body, content type, date, path): ${JSON.stringify(expected)}`;
}

const schemeAdvice = (scheme: string): string =>
  `the Authorization scheme is ${JSON.stringify(scheme)}; it must be exactly "VWS"`;

/** Wrong secrets that a client may have signed with, and wrong spellings of the right one. */
function mistakenFor(
  { accessKey, secretKey }: SigningKeys,
  otherSecrets: Readonly<Record<string, string>>,
): readonly Secret[] {
  const belongs = "sign with the secret key that belongs to the access key";
  const around = [`${secretKey}\n`, ` ${secretKey}`, `${secretKey} `, `${secretKey}\r`, `${secretKey}\r\n`];
  return [
    ...Object.entries({ ...otherSecrets, "access key": accessKey }).map(([name, key]) => ({
      key,
      advice: `the signature was made with the database's ${name}; ${belongs}`,
    })),
    ...around.map((key) => ({
      key,
      advice:
        "the secret key has white space around it (such as the line feed at the end of a file): trim it",
    })),
    ...[`"${secretKey}"`, `'${secretKey}'`].map((key) => ({
      key,
      advice: "the secret key has quotation marks around it: sign without them",
    })),
    {
      key: secretKey.trim(),
      advice: "the secret key of the database has white space around it, which was not signed",
    },
  ].filter(({ key }) => key !== secretKey && key !== "");
}

/** Secrets of other databases, in case the keys of two were mixed up. */
async function secretsOfOthers(
  { services }: ApiContext,
  { databaseName }: { readonly databaseName: string },
): Promise<readonly Secret[]> {
  const databases = (await services.store.listCloudDatabases()).filter(
    (other) => other.databaseName !== databaseName,
  );
  return databases.slice(-MOST_OTHER_DATABASES).flatMap((other) =>
    [
      ["server secret key", other.serverSecretKey] as const,
      ["client secret key", other.clientSecretKey] as const,
    ].map(([name, key]) => ({
      key,
      advice:
        `the signature was made with the ${name} of another database, ${JSON.stringify(other.databaseName)}; the access key ` +
        `belongs to ${JSON.stringify(databaseName)}: take both keys from the same database`,
    })),
  );
}

/** `text` as JSON, with `▶` before its first difference from `other`. */
function marked(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same += 1;
  return JSON.stringify(`${text.slice(0, same)}▶${text.slice(same)}`);
}
