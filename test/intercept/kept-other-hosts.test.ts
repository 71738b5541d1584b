import type { UnhandledRequests } from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { combinations } from "../support/combinations.ts";
import { acceptCertificate, KEEPING_CLIENTS } from "./kept-clients.ts";
import { blocked, MODES, PARTLY, POLICIES, refusalOf, registerFor, started } from "./kept-other.ts";
import { laterTurns, REAL, RealService, resolveExamples } from "./kept-service.ts";

acceptCertificate();
resolveExamples();

const ALL_CLIENTS = combinations(["http", "https"] as const, Object.entries(KEEPING_CLIENTS)).map(
  ([scheme, [name, make]]) => ({ scheme, name, make }),
);

const cases = (policies: Readonly<Record<string, UnhandledRequests>>) =>
  combinations(Object.entries(policies), ALL_CLIENTS).map(([[policy, unhandledRequests], client]) => ({
    policy,
    unhandledRequests,
    ...client,
  }));

describe.each(Object.entries(MODES))("%s:", (mode, options) => {
  registerFor(mode);

  test.each(cases(POLICIES))(
    "nothing is sent to a host that $policy blocks: $scheme, $name",
    async ({ unhandledRequests, scheme, make }) => {
      const service = await RealService.start(scheme);
      const origin = service.originAt("blocked.example");
      const send = make(origin, scheme);
      for (const _round of [1, 2]) {
        const parallel = [1, 2, 3].map(() => send(`${origin}/before`));
        expect(await Promise.all(parallel)).toEqual([REAL, REAL, REAL]);
        const reached = service.paths.length;
        const mock = started({ ...options, unhandledRequests });
        const sent = [1, 2, 3].map(() => refusalOf(send(`${origin}/after`)));
        for (const message of await Promise.all(sent))
          expect(message).toContain(blocked("GET", `${origin}/after`));
        expect(await refusalOf(send(`${origin}/posted`, { body: "posted" }))).toContain(
          blocked("POST", `${origin}/posted`),
        );
        mock.stop();
        await laterTurns();
        expect(service.paths.slice(reached)).toEqual([]);
        expect(mock.requests).toEqual([]);
      }
      expect(await send(`${origin}/again`)).toBe(REAL);
    },
  );

  test.each(cases(PARTLY))(
    "the connection to a host that $policy allows stays: $scheme, $name",
    async ({ unhandledRequests, scheme, make }) => {
      const service = await RealService.start(scheme);
      const origin = service.originAt("localhost");
      const send = make(origin, scheme);
      expect(await send(`${origin}/before`)).toBe(REAL);
      const mock = started({ ...options, unhandledRequests });
      for (const path of ["/1", "/2", "/3"]) {
        await laterTurns();
        expect(await send(origin + path)).toBe(REAL);
      }
      mock.stop();
      await laterTurns();
      expect(await send(`${origin}/again`)).toBe(REAL);
      expect(service.connections).toHaveLength(1);
    },
  );

  test.each(ALL_CLIENTS)(
    "a request in progress ends, and no other one follows it: $scheme, $name",
    async ({ scheme, make }) => {
      const service = await RealService.start(scheme);
      const origin = service.originAt("blocked.example");
      const send = make(origin, scheme);
      expect(await send(`${origin}/before`)).toBe(REAL);
      const slow = send(`${origin}/slow`);
      await service.slowArrived();
      started({ ...options, unhandledRequests: "error" });
      const queued = refusalOf(send(`${origin}/queued`));
      await laterTurns();
      service.answerSlow();
      expect(await slow).toBe(REAL);
      expect(await queued).toContain(blocked("GET", `${origin}/queued`));
      expect(await refusalOf(send(`${origin}/after`))).toContain(blocked("GET", `${origin}/after`));
      expect(service.paths).toEqual(["/before", "/slow"]);
    },
  );
});
