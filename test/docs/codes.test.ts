import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CODES, rowOf } from "../../src/core/schema/causes/causes.ts";
import { codesPage } from "../../src/core/schema/causes/description.ts";

const page = fileURLToPath(new URL("../../examples/reference/CODES.md", import.meta.url));

describe("the codes of causes", () => {
  it("are what the reference lists (`npx vitest run -u test/docs/codes.test.ts` writes it)", async () => {
    await expect(codesPage()).toMatchFileSnapshot(page);
  });

  it("have a subject and a predicate, in at most three words", () => {
    expect(CODES.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)?\.[a-z0-9]+(-[a-z0-9]+)?$/.test(code))).toEqual(
      [],
    );
    expect(CODES.filter((code) => code.split(/[.-]/).length > 3)).toEqual([]);
  });

  it("say in sentences what happened and what to change", () => {
    const sentences = CODES.flatMap((code) => [rowOf(code).happened, rowOf(code).change]);
    expect(sentences.filter((sentence) => !/^[A-Za-z`].*\.$/.test(sentence))).toEqual([]);
  });
});
