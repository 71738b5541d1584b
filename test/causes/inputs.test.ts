import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wrapped } from "../../src/core/general/text.ts";
import { send } from "../protocol/mistakes/mistakes.ts";
import { describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { FALLBACKS, INPUTS } from "./inputs.ts";

const LONGEST_LINE = 100;

/** The lines of a reason as it is printed, without values in quotation marks, which stay in one line. */
const longLines = (reason: string): readonly string[] =>
  wrapped(`   ${reason}`)
    .split("\n")
    .filter((line) => line.replace(/"(?:[^"\\]|\\.)*"/g, '""').length > LONGEST_LINE);

describeBackends("what people bring is named", (backend) => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await backend.open(backend.overSockets ? {} : { targetUrl: "https://target.example" });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  describe.each(Object.entries(INPUTS))("%s", (_kind, inputs) => {
    const rows = inputs.map(([what, make, code, facts = {}]) => ({ what, make, code, facts }));
    it.each(rows)("$what", async ({ make, code, facts }) => {
      const keys = await service.addCloudDatabase();
      const situation = { service, keys, other: keys };
      await send(situation, await make(situation));
      // The rest of a body that is longer than announced is an entry of its own, without a path.
      const entry = (await service.requests()).findLast(({ path }) => path !== "");
      expect(entry?.cause).toMatchObject({ code, ...facts });
      const { reason = "" } = entry ?? {};
      expect(longLines(reason)).toEqual([]);
      for (const secret of [keys.serverSecretKey, keys.clientSecretKey, "client-secret", "hunter2"])
        expect(reason).not.toContain(secret);
    });
  });
});

it("each kind has neighbours, and none ends in a code that says that nothing is known", () => {
  for (const inputs of Object.values(INPUTS)) expect(inputs.length).toBeGreaterThanOrEqual(8);
  const codes = Object.values(INPUTS).flatMap((inputs) => inputs.map(([, , code]) => code));
  expect(codes.filter((code) => FALLBACKS.has(code))).toEqual([]);
});
