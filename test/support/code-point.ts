import fc from "fast-check";

/** Surrogates are no characters. */
const [FIRST_SURROGATE, SURROGATES, LAST] = [0xd800, 0x800, 0x10ffff];

const isCodePoint = (text: unknown): text is string =>
  typeof text === "string" && /^[^\ud800-\udfff]$/u.test(text);

/**
 * Any character: the unit of strings that fast-check calls "binary", with the same values. With that one, each process makes a table of
 * all million characters when it first describes a string, which takes longer than most files of tests, and 100 MB.
 *
 * @example fc.string({ unit: codePoint })
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(LAST - SURROGATES).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    if (!isCodePoint(text)) throw new TypeError("expected one character");
    const code = text.codePointAt(0) ?? 0;
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
