import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isIpAddress } from "../../src/core/general/ip-address.ts";
import { OriginPattern } from "../../src/intercept/nock/nock-origin.ts";

const ORIGIN = "https://service.example:443";

describe("the key of a host in nock's table", () => {
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

  it("stops matching when no mock serves the host any longer", () => {
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

  it("keeps matching once the user had interceptors for the host", () => {
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

const hosts = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.domain(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.ipV6().map((address) => `${address}%eth0`),
  fc.stringMatching(/^[\da-f:.%\]]*$/),
  fc.string(),
);

it("knows the addresses that Node knows", () => {
  fc.assert(
    fc.property(hosts, (host) => {
      expect(isIpAddress(host)).toBe(isIP(host) !== 0);
    }),
  );
});
