import { isIP } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isIpAddress } from "../../src/core/general/ip-address.ts";

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
