import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wrapped } from "../../src/core/general/text.ts";
import {
  adding,
  listing,
  md5,
  type Sent,
  type Situation,
  searching,
  send,
} from "../protocol/mistakes/mistakes.ts";
import { describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { expectAdviceFirst } from "./advice.ts";
import { FALLBACKS, INPUTS } from "./inputs.ts";
import { DECODED } from "./inputs-encodings.ts";

const LONGEST_LINE = 100;

/** The lines of a reason as it is printed, without values in quotation marks, which stay in one line. */
const longLines = (reason: string): readonly string[] =>
  wrapped(`   ${reason}`)
    .split("\n")
    .filter((line) => line.replace(/"(?:[^"\\]|\\.)*"/g, '""').length > LONGEST_LINE);

describeBackends("what people bring is named", (backend) => {
  const open = () => backend.open(backend.overSockets ? {} : { targetUrl: "https://target.example" });
  let shared: ServiceUnderTest;
  beforeAll(async () => {
    shared = await open();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  describe.each(Object.entries(INPUTS))("%s", (_kind, inputs) => {
    const rows = inputs.map(([what, make, code, facts = {}]) => ({ what, make, code, facts }));
    it.each(rows)("$what", async ({ make, code, facts }) => {
      // A journal remarks on gzip once.
      await using own = code === "gzip.unasked" ? await open() : undefined;
      const service = own ?? shared;
      const keys = await service.addCloudDatabase();
      const situation = { service, keys, other: keys };
      await send(situation, await make(situation));
      // The rest of a body that is longer than announced is an entry of its own, without a path.
      const entry = (await service.requests()).findLast(({ path }) => path !== "");
      expect(entry?.cause).toMatchObject({ code, ...facts });
      const { reason = "" } = entry ?? {};
      expect(longLines(reason)).toEqual([]);
      expectAdviceFirst(entry === undefined ? [] : [entry]);
      for (const secret of [keys.serverSecretKey, keys.clientSecretKey, "client-secret", "hunter2"])
        expect(reason).not.toContain(secret);
    });
  });

  it.each(DECODED)("Accept-Encoding: %s asks for gzip, which gets no remark", async (accepted) => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const situation = { service, keys, other: keys };
    const sent = searching(situation);
    await send(situation, { ...sent, headers: { ...sent.headers, "Accept-Encoding": accepted } });
    expect(await service.latest()).toMatchObject({ status: 200, cause: undefined });
  });
});

describeBackends("a signature that no mistake explains says what is left", (backend) => {
  it.each<[string, (s: Situation) => Promise<Sent> | Sent, string]>([
    ["without a body", (s) => listing(s), "; what is left is another key"],
    [
      "with a body",
      (s) => adding(s),
      "; what is left is another key, or a body that was changed after it was signed",
    ],
    [
      "with a form",
      (s) => searching(s),
      "; what is left is another key, or a form that was built again after it was signed, which has another boundary then",
    ],
    [
      "after a right request",
      async (s) => {
        await send(s, listing(s));
        return listing(s);
      },
      "; what is left is another key (request #1 had the right one)",
    ],
    [
      "with the body's Content-MD5",
      (s) => withDigest(adding(s), adding(s).body),
      "; what is left is another key: the body still has its Content-MD5",
    ],
    [
      "with the Content-MD5 of other bytes",
      (s) => withDigest(adding(s), "other"),
      "; what is left is a body that was changed after it was signed: its Content-MD5 is that of other bytes",
    ],
  ])("%s", async (_what, make, left) => {
    await using service = await backend.open(
      backend.overSockets ? {} : { targetUrl: "https://target.example" },
    );
    const keys = await service.addCloudDatabase();
    const situation = { service, keys, other: keys };
    await send(situation, { ...(await make(situation)), secretKey: "another" });
    const { cause, reason = "" } = await service.latest();
    expect(cause).toMatchObject({ code: "signature.unexplained" });
    expect(reason.slice(-left.length)).toBe(left);
  });
});

const withDigest = (sent: Sent, bytes: Buffer | string): Sent => ({
  ...sent,
  headers: { ...sent.headers, "Content-MD5": md5(bytes, "base64") },
});

it("each kind has neighbours, and none ends in a code that says that nothing is known", () => {
  for (const inputs of Object.values(INPUTS)) expect(inputs.length).toBeGreaterThanOrEqual(8);
  const codes = Object.values(INPUTS).flatMap((inputs) => inputs.map(([, , code]) => code));
  expect(codes.filter((code) => FALLBACKS.has(code))).toEqual([]);
});
