import { createHmac } from "node:crypto";
import { header, type WireRequest } from "../../emulator/message.ts";
import type { SigningKeys } from "../../emulator/signing.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { LINES_TO_SIGN, STRINGS_TO_SIGN } from "../../schema/reasons.ts";
import type { ApiContext } from "../services.ts";
import { cutAdvice } from "./bodies.ts";
import {
  rightLines,
  type SignedLines,
  type SignedVariant,
  signedTextOf,
  wrongVariants,
} from "./signed-variants.ts";
import { missingDateAdvice, missingIdAdvice, notSet, TEXTS_OF_NOTHING } from "./values.ts";

const MOST_OTHER_DATABASES = 100;

/**
 * Explains a wrong signature: tries common mistakes of clients, alone and in pairs. If a mistake produces the signature, it
 * shows both strings to sign with their first difference, also in the journal. Never shows a secret key.
 *
 * @param otherSecrets - other secrets of the database, by the name to show.
 */
export async function explainSignature(
  context: ApiContext,
  keys: SigningKeys & { readonly databaseName: string },
  otherSecrets: Readonly<Record<string, string>>,
): Promise<string> {
  const { request, entry } = context;
  const { expected, signed, reason } = await compareSignature(request, context.body.digest, keys, {
    otherSecrets,
    reused: reuseAdvice(context, signatureIn(request)),
    secretsOfOthers: () => secretsOfOthers(context, keys),
  });
  entry.signature = { expected, ...(signed !== undefined && { signed }) };
  return reason;
}

function signatureIn(request: WireRequest): string {
  const given = header(request, "authorization") ?? "";
  return given.slice(given.indexOf(":") + 1);
}

interface Surroundings {
  /** Other secrets of the same database, by the name to show. */
  readonly otherSecrets: Readonly<Record<string, string>>;
  /** Reports that the signature belongs to an earlier request. */
  readonly reused?: string | undefined;
  readonly secretsOfOthers?: () => Promise<readonly Secret[]>;
}

/** Compares a wrong signature with the right one. */
export async function compareSignature(
  request: WireRequest,
  digest: string,
  keys: SigningKeys,
  { otherSecrets, reused, secretsOfOthers = () => Promise.resolve([]) }: Surroundings,
): Promise<{ readonly expected: string; readonly signed?: string; readonly reason: string }> {
  const [scheme = ""] = (header(request, "authorization") ?? "").split(" ");
  const signature = signatureIn(request);
  const right = rightLines(request, digest);
  const expected = signedTextOf(right);
  const spaced = signature.startsWith(" ") ? "there is a space after the colon: send none" : undefined;
  const mistake = notSet("signature", signature) ?? spaced ?? missingIdAdvice(request.path) ?? reused;
  if (mistake !== undefined) return { expected, reason: `the signature does not match: ${mistake}` };
  const explained = await findMistakes(signature, right, {
    ownSecrets: [{ key: keys.secretKey }, ...mistakenFor(keys, otherSecrets)],
    otherSecrets: [...MISSING_SECRETS, ...(await secretsOfOthers())],
    variants: () => wrongVariants(request, right),
  });
  if (explained !== undefined) {
    const { advice, signed } = explained;
    const all = [...(scheme === "VWS" ? [] : [schemeAdvice(scheme)]), ...advice];
    // Only the scheme is wrong.
    if (advice.length === 0) return { expected, reason: `the signature is right, but ${all.join("; and ")}` };
    if (signed === expected) return { expected, reason: all.join("; and ") };
    const reason =
      `the signature does not match: ${all.join("; and ")}. ${STRINGS_TO_SIGN}${marked(expected, signed)}; ` +
      `signed: ${marked(signed, expected)}`;
    return { expected, signed, reason };
  }
  const cut = cutAdvice(request.body);
  const known = cut ?? "no common mistake explains it";
  const advice =
    header(request, "date") === undefined
      ? `the signature does not match, and ${missingDateAdvice(request)}: send the Date that was signed`
      : `the signature does not match, and ${known}: check the secret key`;
  const reason = `${advice}, and that exactly this is signed ${LINES_TO_SIGN}: ${JSON.stringify(expected)}`;
  return { expected, reason };
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
    ...(["hex", "base64"] as const).map((encoding) => ({
      key: Buffer.from(secretKey, encoding),
      advice: `the secret key was decoded from ${encoding === "hex" ? "hexadecimal" : encoding}: sign with its characters as they are`,
    })),
    {
      key: secretKey.trim(),
      advice:
        "the secret key of the database has white space around it, but the client signed without it: trim the database's key",
    },
  ].filter(({ key }) => key !== secretKey && key.length > 0);
}

/** Clients without a secret sign with these. */
const MISSING_SECRETS: readonly Secret[] = TEXTS_OF_NOTHING.map((key) => ({
  key,
  advice: notSet("secret key that signed", key),
}));

const MOST_COMPARED = 20;

/** Reports a signature of one of the latest requests; otherwise undefined. */
function reuseAdvice({ services: { journal } }: ApiContext, signature: string): string | undefined {
  const oldest = Math.max(journal.firstPosition, journal.position - MOST_COMPARED + 1);
  for (let position = journal.position; position >= oldest; position -= 1) {
    const entry = journal.at(position);
    // A request whose own signature was wrong is not its source.
    if (entry?.signature !== undefined || entry?.request.isSignedWith(signature) !== true) continue;
    return `it is the signature of request #${entry.number} (${entry.method} ${entry.path}); compute a new signature for each request`;
  }
  return undefined;
}

/** Databases may have been mixed up. */
async function secretsOfOthers(
  { services }: ApiContext,
  { databaseName }: { readonly databaseName: string },
): Promise<readonly Secret[]> {
  const databases = await services.store.listCloudDatabases();
  const others = databases.filter((other) => other.databaseName !== databaseName);
  return others.slice(-MOST_OTHER_DATABASES).flatMap((other) =>
    (["server", "client"] as const).map((role) => ({
      key: other[`${role}SecretKey`],
      advice:
        `the signature was made with the ${role} secret key of another database, ${JSON.stringify(other.databaseName)}; the access key ` +
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

interface Secret {
  readonly key: string | Buffer;
  readonly advice?: string | undefined;
}

/** A form in which the bytes of an HMAC are sent. */
interface Form {
  readonly of: (hmac: Buffer) => string;
  /** In characters. It names the algorithm, so one HMAC decides. */
  readonly length: number;
  readonly algorithm: "sha1" | "sha256";
  readonly advice?: string | undefined;
}

const inBase64 = (hmac: Buffer) => hmac.toString("base64");
const inHex = (hmac: Buffer) => hmac.toString("hex");
const inUrls = (hmac: Buffer) => hmac.toString("base64url");
const hexInBase64 = (hmac: Buffer) => Buffer.from(inHex(hmac)).toString("base64");
const FORMS = (
  [
    ["sha1", 28, inBase64],
    ["sha1", 40, inHex, "the HMAC in hexadecimal; it must be its base64"],
    [
      "sha1",
      56,
      hexInBase64,
      'the base64 of the hexadecimal HMAC; it must be the base64 of its bytes (digest("base64"))',
    ],
    ["sha1", 27, inUrls, "base64url, without padding; it must be base64"],
    ["sha256", 44, inBase64, "an HMAC-SHA256; it must be an HMAC-SHA1"],
    ["sha256", 64, inHex, "an HMAC-SHA256 in hexadecimal; it must be the base64 of an HMAC-SHA1"],
  ] as const
).map(
  ([algorithm, length, of, is]): Form => ({ algorithm, length, of, advice: is && `the signature is ${is}` }),
);

interface Suspects {
  /** The right secret, then others of the database. */
  readonly ownSecrets: readonly [Secret, ...Secret[]];
  readonly otherSecrets: readonly Secret[];
  /** Wrong lines, made only if no secret explains the signature: most need a digest of the body. */
  readonly variants: () => Promise<readonly SignedVariant[]>;
}

interface Explained {
  readonly advice: readonly string[];
  readonly signed: string;
}

export type ComputeHmac = (
  algorithm: Form["algorithm"],
  key: string | Buffer,
  text: string | Buffer,
) => Buffer;

const computeHmac: ComputeHmac = (algorithm, key, text) => createHmac(algorithm, key).update(text).digest();

const SWAPPED =
  "the signature does not match: the HMAC's key and message are swapped; its key is the secret key, its message the string to sign";

/** Less than 1 ms of work. */
const HMACS_PER_SLICE = 50;

/** Finds the fewest mistakes, at most two besides the form, that produce a signature. Computes at most about 600 HMACs. */
export async function findMistakes(
  signature: string,
  right: SignedLines,
  { ownSecrets, otherSecrets, variants: makeVariants }: Suspects,
  hmac: ComputeHmac = computeHmac,
): Promise<Explained | undefined> {
  const forms = FORMS.filter(({ length }) => length === signature.length);
  const [first] = forms;
  if (first === undefined) return undefined;
  let computed = 0;
  const attempt = async (secrets: readonly Secret[], changes: readonly (readonly SignedVariant[])[]) => {
    for (const changed of changes) {
      const lines = { ...right, ...Object.fromEntries(changed.map(({ line, value }) => [line, value])) };
      const signed = signedTextOf(lines);
      for (const { key, advice } of secrets) {
        computed += 1;
        if (computed % HMACS_PER_SLICE === 0) await yieldToEventLoop();
        const bytes = hmac(first.algorithm, key, signed);
        const form = forms.find(({ of }) => of(bytes) === signature);
        if (form === undefined) continue;
        const all = [advice, ...changed.map((each) => each.advice), form.advice];
        return { advice: all.filter((each) => each !== undefined), signed };
      }
    }
    return undefined;
  };
  const bySecret = await attempt([...ownSecrets, ...otherSecrets], [[]]);
  if (bySecret !== undefined) return bySecret;
  const [rightSecret, ...wrongSecrets] = ownSecrets;
  const message = signedTextOf(right);
  const swapped = hmac(first.algorithm, message, rightSecret.key);
  const form = forms.find(({ of }) => of(swapped) === signature);
  if (form !== undefined)
    return { advice: form.advice === undefined ? [SWAPPED] : [SWAPPED, form.advice], signed: message };
  const variants = await makeVariants();
  const likely = variants.filter((variant) => variant.likely);
  const one = (variant: SignedVariant) => [variant];
  return (
    (await attempt([rightSecret], variants.map(one))) ??
    (await attempt(wrongSecrets, likely.map(one))) ??
    (await attempt([rightSecret], pairsOf(likely)))
  );
}

/** Every two variants of different lines. */
const pairsOf = (variants: readonly SignedVariant[]): readonly (readonly SignedVariant[])[] =>
  variants.flatMap((first, index) =>
    variants.slice(index + 1).flatMap((second) => (second.line === first.line ? [] : [[first, second]])),
  );
