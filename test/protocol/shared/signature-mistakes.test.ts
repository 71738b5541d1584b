import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ComputeHmac, findMistakes } from "../../../src/core/apis/explanations/signature.ts";
import {
  rightLines,
  type SignedVariant,
  signedTextOf,
  wrongVariants,
} from "../../../src/core/apis/explanations/signed-variants.ts";
import type { WireRequest } from "../../../src/core/emulator/message.ts";
import { bodyDigest } from "../../../src/core/emulator/signing.ts";
import { cause } from "../../../src/core/schema/causes/causes.ts";

const SECRET = "secret";
const of = (at: number) => cause("signature.other-key", { key: `key ${at}` });
const body = Buffer.from(JSON.stringify({ width: 1, name: "Käfer", image: "aGVsbG8=" }, null, 1));
const request: WireRequest = {
  method: "POST",
  path: "/targets",
  query: "a=1",
  headers: [
    ["Host", "target.example"],
    ["Content-Type", "application/json; charset=utf-8"],
    ["Date", "Sat, 21 Nov 2026 12:00:00 GMT"],
  ],
  body,
};
const right = rightLines(request, bodyDigest(body));

/** Explains a signature, and counts the HMACs and the lists of variants that this took. */
async function explain(signature: string, others = 0) {
  const counts = { hmacs: 0, variants: 0 };
  const hmac: ComputeHmac = (algorithm, key, text) => {
    counts.hmacs += 1;
    return createHmac(algorithm, key).update(text).digest();
  };
  const ownSecrets = [
    { key: SECRET },
    ...Array.from({ length: 10 }, (_, at) => ({ key: `own ${at}` })),
  ] as const;
  const explained = await findMistakes(
    signature,
    right,
    {
      ownSecrets: [ownSecrets[0], ...ownSecrets.slice(1)],
      otherSecrets: Array.from({ length: others }, (_, at) => ({ key: `other ${at}`, mistake: of(at) })),
      variants: () => {
        counts.variants += 1;
        return wrongVariants(request, right);
      },
    },
    hmac,
  );
  return { explained, ...counts };
}

const sign = (lines: typeof right, key = SECRET, encoding: "base64" | "hex" = "base64") =>
  createHmac("sha1", key).update(signedTextOf(lines)).digest(encoding);

describe("the cost of explaining a signature", () => {
  it("is bounded, also with the secrets of a hundred other databases", async () => {
    const unknown = sign(right, "of nobody");
    const { explained, hmacs } = await explain(unknown, 200);
    expect(explained).toBeUndefined();
    expect(hmacs).toBeGreaterThan(300);
    expect(hmacs).toBeLessThan(900);
  });

  it("is nothing for what has the length of no signature", async () => {
    expect(await explain("c2lnbmF0dXJl")).toEqual({ explained: undefined, hmacs: 0, variants: 0 });
  });

  it("is one HMAC for each secret, and no digest of the body, when a secret explains it", async () => {
    const { explained, hmacs, variants } = await explain(sign(right, "other 4"), 200);
    expect(explained?.mistakes).toEqual([of(4)]);
    expect({ hmacs, variants }).toEqual({ hmacs: 16, variants: 0 });
  });

  it("digests no text twice, and none that is equal to the body", async () => {
    const digests = (await wrongVariants(request, right)).filter(({ line }) => line === "digest");
    const values = digests.map(({ value }) => value);
    expect(new Set(values).size).toBe(values.length);
    expect(values).not.toContain(right.digest);
    const ascii = await wrongVariants({ ...request, body: Buffer.from("{}") }, right);
    expect(JSON.stringify(ascii)).not.toContain("Latin-1");
  });
});

it("explains any two likely mistakes, and the form besides", async () => {
  const likely = (await wrongVariants(request, right)).filter((each) => each.likely);
  const lines = new Map<string, SignedVariant[]>();
  for (const each of likely) lines.set(each.line, [...(lines.get(each.line) ?? []), each]);
  expect([...lines.keys()].sort()).toEqual(["date", "digest", "method", "path", "type"]);
  const pairs = likely.flatMap((first, index) =>
    likely
      .slice(index + 1)
      .filter((second) => second.line !== first.line)
      .map((second) => [first, second] as const),
  );
  expect(pairs.length).toBeGreaterThan(50);
  for (const [first, second] of pairs) {
    const lines = { ...right, [first.line]: first.value, [second.line]: second.value };
    const { explained } = await explain(sign(lines, SECRET, "hex"));
    expect(explained?.mistakes).toEqual([
      first.mistake,
      second.mistake,
      cause("signature.encoding", { is: "hexadecimal" }),
    ]);
  }
});

it("takes a body that is nested too deeply to be written again for what it is", async () => {
  const deep = Buffer.from("[".repeat(100_000) + "]".repeat(100_000));
  const variants = await wrongVariants({ ...request, body: deep }, right);
  expect(variants.map(({ mistake }) => mistake.code)).not.toContain("signature.rewritten");
});
