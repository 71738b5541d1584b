import { createHmac } from "node:crypto";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";
import { joined, type SignedLines, type Variant } from "./signed-variants.ts";

/** A secret that a client may have signed with, and the advice for that mistake. */
export interface Secret {
  readonly key: string;
  readonly advice?: string;
}

/** A form in which the bytes of an HMAC are sent. */
interface Form {
  readonly of: (hmac: Buffer) => string;
  /** Characters. No two algorithms have a form of the same length, so one HMAC decides. */
  readonly length: number;
  readonly algorithm: "sha1" | "sha256";
  readonly advice?: string;
}

const FORMS: readonly Form[] = [
  { algorithm: "sha1", length: 28, of: (hmac) => hmac.toString("base64") },
  {
    algorithm: "sha1",
    length: 40,
    of: (hmac) => hmac.toString("hex"),
    advice: "the signature is the HMAC in hexadecimal; it must be its base64",
  },
  {
    algorithm: "sha1",
    length: 56,
    of: (hmac) => Buffer.from(hmac.toString("hex")).toString("base64"),
    advice:
      'the signature is the base64 of the hexadecimal HMAC; it must be the base64 of its bytes (digest("base64"))',
  },
  {
    algorithm: "sha1",
    length: 27,
    of: (hmac) => hmac.toString("base64url"),
    advice: "the signature is base64url, without padding; it must be base64",
  },
  {
    algorithm: "sha256",
    length: 44,
    of: (hmac) => hmac.toString("base64"),
    advice: "the signature is an HMAC-SHA256; it must be an HMAC-SHA1",
  },
  {
    algorithm: "sha256",
    length: 64,
    of: (hmac) => hmac.toString("hex"),
    advice: "the signature is an HMAC-SHA256 in hexadecimal; it must be the base64 of an HMAC-SHA1",
  },
];

/** What a client may have done wrong. */
export interface Suspects {
  /** The right secret, then those that a client may take for it. */
  readonly ownSecrets: readonly [Secret, ...Secret[]];
  /** Secrets of other databases. */
  readonly otherSecrets: readonly Secret[];
  /** Wrong lines, made only when no secret alone explains the signature: most of them need a digest of the body. */
  readonly variants: () => Promise<readonly Variant[]>;
}

/** The mistakes that explain a signature, and the text that was signed. */
export interface Explained {
  readonly advice: readonly string[];
  readonly signed: string;
}

export type ComputeHmac = (algorithm: Form["algorithm"], key: string, text: string) => Buffer;

const computeHmac: ComputeHmac = (algorithm, key, text) => createHmac(algorithm, key).update(text).digest();

/** Less than 1 ms of work. */
const HMACS_PER_SLICE = 50;

/**
 * Finds the fewest mistakes, at most two besides the form, that produce a signature. Computes about 600 HMACs at most, in slices.
 *
 * @param hmac - computes an HMAC; tests count the calls.
 */
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
  const attempt = async (secrets: readonly Secret[], changes: readonly (readonly Variant[])[]) => {
    for (const changed of changes) {
      const lines = { ...right, ...Object.fromEntries(changed.map(({ line, value }) => [line, value])) };
      const signed = joined(lines);
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
  const variants = await makeVariants();
  const likely = variants.filter((variant) => variant.likely);
  const one = (variant: Variant) => [variant];
  return (
    (await attempt([rightSecret], variants.map(one))) ??
    (await attempt(wrongSecrets, likely.map(one))) ??
    (await attempt([rightSecret], pairsOf(likely)))
  );
}

/** Every two variants of different lines. */
const pairsOf = (variants: readonly Variant[]): readonly (readonly Variant[])[] =>
  variants.flatMap((first, index) =>
    variants.slice(index + 1).flatMap((second) => (second.line === first.line ? [] : [[first, second]])),
  );
