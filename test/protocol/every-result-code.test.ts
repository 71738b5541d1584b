import { expect, it } from "vitest";
import { RESULT_CODES } from "../../src/core/schema/protocol.ts";
import { placeholder } from "../conformance/engine/situation.ts";
import { FACTS } from "../conformance/facts.ts";

/** Codes that a mock's option makes instances fail with: test/protocol/vumark/instance.test.ts. */
const CONFIGURED = ["QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"];

/** The codes and statuses that facts say a request is answered with; another test shows that the facts hold. */
const sent = new Set(
  (["neutral", "vuforia"] as const).flatMap((profile) =>
    FACTS.flatMap(({ expected }) => {
      const { body, status } = expected(placeholder({ profile, keys: {}, prefix: "" }, new Date()));
      const code = /"result_code":"(\w+)"/.exec(body)?.[1];
      return code === undefined ? [] : [`${code} ${status}`];
    }),
  ),
);

it("every result code is one with which a fact's request is answered, with its usual status", () => {
  const codes = Object.entries(RESULT_CODES).filter(([code]) => !CONFIGURED.includes(code));
  const unsent = codes.filter(([code, { status }]) => !sent.has(`${code} ${status}`)).map(([code]) => code);
  expect(unsent, "add a row to test/conformance/rows whose request is answered with the code").toEqual([]);
});

it("facts name no other result codes", () => {
  const codes = new Set([...sent].map((one) => one.split(" ")[0]));
  const unknown = [...codes].filter((code) => !(code !== undefined && code in RESULT_CODES));
  expect(unknown, "add the code to RESULT_CODES of src/core/schema/protocol.ts").toEqual([]);
});
