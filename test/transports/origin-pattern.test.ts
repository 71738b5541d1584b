import { describe, expect, it } from "vitest";
import { OriginPattern } from "../../src/transports/nock/nock-origin.ts";

const ORIGIN = "https://service.example:443";

describe("the key of a host among nock's", () => {
  it.each([
    [ORIGIN, true],
    [`${ORIGIN}/`, true],
    [`${ORIGIN}/targets`, true],
    [`GET ${ORIGIN}/targets`, true],
    [`${ORIGIN}0/targets`, false],
    ["https://other.example:443/targets", false],
    [`https://other.example:443/${ORIGIN}/`, false],
  ])("%s fits: %s", (text, fits) => {
    const pattern = new OriginPattern(
      ORIGIN,
      () => true,
      () => false,
    );
    expect(pattern.test(text)).toBe(fits);
    expect(text.match(pattern) !== null).toBe(fits);
  });

  it("lets go of its host when no mock serves it any more", () => {
    let isServed = true;
    const pattern = new OriginPattern(
      ORIGIN,
      () => isServed,
      () => false,
    );
    expect(pattern.exec(ORIGIN)?.[0]).toBe(ORIGIN);
    isServed = false;
    expect(pattern.exec(ORIGIN)).toBeNull();
  });

  it("keeps it once the user had interceptors of their own there", () => {
    let isUsers = true;
    const pattern = new OriginPattern(
      ORIGIN,
      () => false,
      () => isUsers,
    );
    expect(pattern.test(ORIGIN)).toBe(true);
    isUsers = false;
    expect(pattern.test(ORIGIN)).toBe(true);
  });
});
