import { expect, it } from "vitest";
import { PROFILE_NAMES } from "../../src/emulator/profiles.ts";
import { RESULT_CODES } from "../../src/schema/protocol.ts";
import { placeholder } from "../conformance/engine/plan.ts";
import { FACTS } from "../conformance/facts.ts";

/** In process they can be configured (test/protocol/vumark/instance.test.ts); no request brings them about. */
const CONFIGURED = ["QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"];

/** The codes and statuses that facts say a request is answered with; another test shows that the facts hold. */
const sent = new Set(
  PROFILE_NAMES.flatMap((profile) =>
    FACTS.flatMap(({ expected }) => {
      const { body, status } = expected(placeholder({ profile, keys: {}, prefix: "" }, new Date()));
      const code = /"result_code":"(\w+)"/.exec(body)?.[1];
      return code === undefined ? [] : [`${code} ${status}`];
    }),
  ),
);

it("every result code is one with which a fact's request is answered, with its usual status", () => {
  const codes = Object.entries(RESULT_CODES).filter(([code]) => !CONFIGURED.includes(code));
  expect(codes.filter(([code, { status }]) => !sent.has(`${code} ${status}`))).toEqual([]);
});

it("facts name no other result codes; some are never sent", () => {
  const codes = new Set([...sent].map((one) => one.split(" ")[0]));
  expect([...codes].filter((code) => !(code !== undefined && code in RESULT_CODES))).toEqual([]);
  for (const never of ["DateRangeError", "TooManyRequests"]) expect(RESULT_CODES).not.toHaveProperty(never);
});
