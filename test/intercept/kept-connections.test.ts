import { describe, expect, test } from "vitest";
import { combinations } from "../support/combinations.ts";
import { acceptCertificate, KEEPING_CLIENTS } from "./kept-clients.ts";
import { describeWays, laterTurns, MOCKED, REAL, RealService } from "./kept-service.ts";

acceptCertificate();

describeWays(({ nockFirst, started }) => {
  describe.each(combinations(["http", "https"] as const, Object.entries(KEEPING_CLIENTS)))(
    "%s",
    (scheme, [name, make]) => {
      describe(name, () => {
        test("with idle connections is answered by each mock, and by the real service afterwards", async () => {
          const service = await RealService.start(scheme);
          const { origin } = service;
          const send = make(origin, scheme);
          const parallel = () => Promise.all([1, 2, 3].map(() => send(`${origin}/summary`)));
          for (const round of [1, 2]) {
            expect(await parallel()).toEqual([REAL, REAL, REAL]);
            const reached = service.paths.length;
            const mock = started(origin);
            expect(await parallel()).toEqual([MOCKED, MOCKED, MOCKED]);
            expect(await send(`${origin}/targets`, { body: "posted" })).toBe(MOCKED);
            expect(await send(`${origin}/summary`), `round ${round}`).toBe(MOCKED);
            expect(service.paths.length).toBe(reached);
            expect(mock.requests).toHaveLength(5);
            mock.stop();
            await laterTurns();
          }
          expect(await send(`${origin}/summary`)).toBe(REAL);
        });

        test("in the middle of a request gets the real answer, and its connection is not used after it", async () => {
          const service = await RealService.start(scheme);
          const { origin } = service;
          const send = make(origin, scheme);
          expect(await send(`${origin}/summary`)).toBe(REAL);
          const slow = send(`${origin}/slow`);
          await service.slowArrived();
          const mock = started(origin);
          const queued = send(`${origin}/targets`, { body: "posted" });
          service.answerSlow();
          expect(await slow).toBe(REAL);
          expect(await queued).toBe(MOCKED);
          expect(await send(`${origin}/summary`)).toBe(MOCKED);
          expect(service.paths).toEqual(["/summary", "/slow"]);
          expect(mock.requests.map(({ path }) => path)).toEqual(["/targets", "/summary"]);
        });

        test("keeps its connections to other origins", async () => {
          const service = await RealService.start(scheme);
          const other = await RealService.start(scheme);
          const send = make(other.origin, scheme);
          expect(await send(`${other.origin}/`)).toBe(REAL);
          const mock = started(service.origin);
          for (const _again of [1, 2, 3]) {
            await laterTurns();
            expect(await send(`${other.origin}/`)).toBe(REAL);
          }
          mock.stop();
          await laterTurns();
          expect(await send(`${other.origin}/`)).toBe(REAL);
          // With nock active, its agents close connections, as without a mock.
          if (!nockFirst || !/agent|axios|got/.test(name)) expect(other.connections).toHaveLength(1);
        });
      });
    },
  );
});
