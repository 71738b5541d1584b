import { createHash, createHmac } from "node:crypto";
import { header, type WireRequest } from "../../emulator/message.ts";
import type { SigningKeys } from "../../emulator/signing.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import { isUnset } from "../../general/text.ts";
import { type AnyCause, cause, withFurther } from "../../schema/causes/causes.ts";
import type { ApiContext } from "../services.ts";
import { endsWithin } from "./bodies.ts";
import { localDate } from "./dates.ts";
import { type Earlier, isContentRight, reuseOf, servedBefore } from "./earlier.ts";
import { reencodedIn } from "./reencoded.ts";
import { encodingsOf, type SignatureEncoding } from "./signature-encodings.ts";
import {
  alteredSecrets,
  MISSING_SECRETS,
  mistakenFor,
  type Secret,
  secretsOfOthers,
} from "./signed-secrets.ts";
import {
  rightLines,
  type SignedLines,
  type SignedVariant,
  signedTextOf,
  wrongVariants,
} from "./signed-variants.ts";
import { missingIdIn, noDateIn } from "./values.ts";

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
): Promise<AnyCause> {
  const { request, entry, body, now } = context;
  const { expected, signed, why } = await compareSignature(request, body.digest, keys, {
    otherSecrets,
    now,
    earlier: reuseOf(context, signatureIn(request), rightLines(request, body.digest)),
    served: () => servedBefore(context, keys.accessKey),
    secretsOfOthers: () => secretsOfOthers(context, keys),
  });
  entry.signature = { expected, ...(signed !== undefined && { signed }) };
  return why;
}

function signatureIn(request: WireRequest): string {
  const given = header(request, "authorization") ?? "";
  return given.slice(given.indexOf(":") + 1);
}

interface Surroundings {
  /** Other secrets of the same database, by the name to show. */
  readonly otherSecrets: Readonly<Record<string, string>>;
  /** The service's time. */
  readonly now: number;
  /** The earlier request whose signature it is. */
  readonly earlier?: Earlier | undefined;
  /** Number of an earlier request that was signed with the same secret key. */
  readonly served?: () => number | undefined;
  readonly secretsOfOthers?: () => Promise<readonly Secret[]>;
}

/** Compares a wrong signature with the right one. */
export async function compareSignature(
  request: WireRequest,
  digest: string,
  keys: SigningKeys,
  { otherSecrets, now, earlier, served, secretsOfOthers = () => Promise.resolve([]) }: Surroundings,
): Promise<{ readonly expected: string; readonly signed?: string; readonly why: AnyCause }> {
  const [scheme = ""] = (header(request, "authorization") ?? "").split(" ");
  const signature = signatureIn(request);
  const right = rightLines(request, digest);
  const expected = signedTextOf(right);
  const beside = mistakeBeside(signature, request.path);
  if (beside !== undefined) return { expected, why: { ...beside, ...{ expected } } };
  if (earlier !== undefined) {
    const signed = earlier.lines && signedTextOf(earlier.lines);
    return { expected, ...(signed && { signed }), why: { ...earlier.why, ...{ expected, signed } } };
  }
  const local = /^\p{ASCII}*$/u.test(right.date) ? undefined : localDate(right.date, now);
  const explained = await findMistakes(signature, right, {
    ownSecrets: [{ key: keys.secretKey }, ...mistakenFor(keys, otherSecrets)],
    otherSecrets: [...MISSING_SECRETS, ...alteredSecrets(keys), ...(await secretsOfOthers())],
    variants: () => wrongVariants(request, right),
  });
  if (explained === undefined)
    return { expected, why: local ?? unexplained(request, digest, expected, served) };
  const { mistakes, signed } = explained;
  const isScheme = scheme !== "VWS";
  const all = isScheme
    ? [cause("signature.scheme", { scheme: JSON.stringify(scheme) }), ...mistakes]
    : mistakes;
  const [first, ...further] = [...all, ...(local === undefined ? [] : [local])];
  if (first === undefined) return { expected, signed, why: cause("signature.unexplained", { expected }) };
  if (first === local) return { expected, signed, why: local };
  return { expected, signed, why: withFurther({ ...first, ...{ expected, signed } }, ...further) };
}

/** A mistake that needs no other signature to be known. */
function mistakeBeside(signature: string, path: string): AnyCause | undefined {
  if (isUnset(signature)) return cause("signature.unset", { text: signature });
  if (signature.startsWith(" ")) return cause("signature.spaced");
  const missingId = missingIdIn(path);
  return missingId === undefined ? undefined : cause("id.unset", { text: missingId });
}

/** What no mistake explains: it says what is left. */
function unexplained(
  request: WireRequest,
  digest: string,
  expected: string,
  served: Surroundings["served"],
): AnyCause {
  if (header(request, "date") === undefined)
    return cause("signature.no-date", { expected, ...noDateIn(request) });
  if (endsWithin(request.body)) return cause("signature.cut-body", { expected });
  const signature = signatureIn(request);
  if (encodingsOf(signature).length === 0)
    return cause("signature.length", { characters: signature.length, expected });
  const reencoded = reencodedIn(request.body);
  if (reencoded !== undefined) return { ...reencoded, ...{ expected } };
  return cause("signature.unexplained", {
    expected,
    served: served?.(),
    hasBody: request.body.length > 0,
    isContentRight: isContentRight(request, digest),
    ...(/^multipart\//i.test(header(request, "content-type") ?? "") && { isForm: true }),
  });
}

interface Suspects {
  /** The right secret, then wrong ones that are also tried with another mistake. */
  readonly ownSecrets: readonly [Secret, ...Secret[]];
  readonly otherSecrets: readonly Secret[];
  /** Wrong lines, made only if no secret explains the signature: most need a digest of the body. */
  readonly variants: () => Promise<readonly SignedVariant[]>;
}

export type ComputeHmac = (
  algorithm: SignatureEncoding["algorithm"],
  key: string | Buffer,
  text: string | Buffer,
) => Buffer;

const computeHmac: ComputeHmac = (algorithm, key, text) => createHmac(algorithm, key).update(text).digest();

/** Less than 1 ms of work. */
const HMACS_PER_SLICE = 50;

/** Finds the fewest mistakes, at most two besides the form, that produce a signature. Computes at most about 800 HMACs. */
export async function findMistakes(
  signature: string,
  right: SignedLines,
  { ownSecrets, otherSecrets, variants: makeVariants }: Suspects,
  hmac: ComputeHmac = computeHmac,
): Promise<{ readonly mistakes: readonly AnyCause[]; readonly signed: string } | undefined> {
  const forms = encodingsOf(signature);
  const [first] = forms;
  if (first === undefined) return undefined;
  let computed = 0;
  const attempt = async (secrets: readonly Secret[], changes: readonly (readonly SignedVariant[])[]) => {
    for (const changed of changes) {
      const lines = { ...right, ...Object.fromEntries(changed.map(({ line, value }) => [line, value])) };
      const signed = signedTextOf(lines);
      for (const { key, mistake } of secrets) {
        computed += 1;
        if (computed % HMACS_PER_SLICE === 0) await yieldToEventLoop();
        const bytes = hmac(first.algorithm, key, signed);
        const form = forms.find(({ of }) => of(bytes) === signature);
        if (form === undefined) continue;
        const all = [mistake, ...changed.map((each) => each.mistake), form.mistake];
        return { mistakes: all.filter((each) => each !== undefined), signed };
      }
    }
    return undefined;
  };
  const bySecret = await attempt([...ownSecrets, ...otherSecrets], [[]]);
  if (bySecret !== undefined) return bySecret;
  const [rightSecret, ...wrongSecrets] = ownSecrets;
  const message = signedTextOf(right);
  const wide = Buffer.from(message, "utf16le");
  for (const [key, text, mistake] of [
    [message, rightSecret.key, cause("signature.swapped")],
    [rightSecret.key, wide, cause("signature.utf16", { is: "text" })],
    [inUtf16(rightSecret.key), wide, cause("signature.utf16", { is: "both" })],
  ] as const) {
    const bytes = hmac(first.algorithm, key, text);
    const form = forms.find(({ of }) => of(bytes) === signature);
    if (form === undefined) continue;
    return { mistakes: [mistake, ...(form.mistake === undefined ? [] : [form.mistake])], signed: message };
  }
  const plain = plainDigest(signature, first.algorithm, message, String(rightSecret.key));
  if (plain !== undefined) return { mistakes: [plain], signed: message };
  const variants = await makeVariants();
  const likely = variants.filter((variant) => variant.likely);
  const one = (variant: SignedVariant) => [variant];
  return (
    (await attempt([rightSecret], variants.map(one))) ??
    (await attempt(wrongSecrets, likely.map(one))) ??
    (await attempt([rightSecret], pairsOf(likely)))
  );
}

/** A digest without a key, of the string to sign with or without the secret key. */
function plainDigest(
  signature: string,
  algorithm: SignatureEncoding["algorithm"],
  message: string,
  secret: string,
): AnyCause | undefined {
  const texts = ["", "\n", ":"].flatMap((between) => [
    `${secret}${between}${message}`,
    `${message}${between}${secret}`,
  ]);
  for (const text of [message, ...texts]) {
    const hash = createHash(algorithm).update(text).digest();
    const isHex = hash.toString("hex") === signature.toLowerCase();
    if (!isHex && hash.toString("base64") !== signature) continue;
    const name = algorithm === "md5" ? "MD5" : algorithm.replace("sha", "SHA-");
    return cause("signature.algorithm", { isHex, algorithm: name, isPlain: true });
  }
  return undefined;
}

const inUtf16 = (key: string | Buffer): Buffer => Buffer.from(String(key), "utf16le");

/** Every two variants of different lines. */
const pairsOf = (variants: readonly SignedVariant[]): readonly (readonly SignedVariant[])[] =>
  variants.flatMap((first, index) =>
    variants.slice(index + 1).flatMap((second) => (second.line === first.line ? [] : [[first, second]])),
  );
