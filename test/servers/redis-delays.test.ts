import { describe, expect, test } from "vitest";
import { manage } from "../support/answers.ts";
import { whyNoRedis } from "../support/redis-server.ts";
import { opened, startForAll } from "./with-redis.ts";

const SLOW = { operation: "databaseSummary", delay_seconds: 600 };

describe.skipIf(whyNoRedis !== undefined)("the delays of faults that servers share in Redis", () => {
  startForAll();

  /** Servers of which the first delays what its clients ask, and the second adds and deletes the faults. */
  const open = async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const applied = async () => {
      const { requests } = (await manage(first, "GET", "/requests")).fields;
      return (requests as readonly { readonly fault: string | null }[]).filter(({ fault }) => fault !== null);
    };
    return {
      first,
      second,
      addFault: async (fault: object) => (await manage(second, "POST", "/faults", fault)).fields.id,
      /** Resolves when the response is being delayed, and that many were before. */
      delayed: async (path: string, before = 0) => {
        // An earlier reset must not delete the request's entry.
        await applied();
        const answer: { status?: number } = {};
        const answered = fetch(first.urls.target + path).then(({ status }) => {
          answer.status = status;
        });
        while ((await applied()).length === before);
        return { answer, answered };
      },
    };
  };

  test("end when another server deletes the fault, also after it was used up", async () => {
    const { first, second, addFault, delayed } = await open();
    const [id, used] = [
      await addFault(SLOW),
      await addFault({ ...SLOW, operation: "listTargets", times: 1 }),
    ];
    const [summary, list] = [await delayed("/summary"), await delayed("/targets", 1)];
    expect((await manage(second, "DELETE", `/faults/${id}`)).status).toBe(204);
    await summary.answered;
    expect([summary.answer.status, list.answer.status]).toEqual([401, undefined]);
    expect((await manage(second, "DELETE", `/faults/${used}`)).status).toBe(404);
    await list.answered;
    // By the server itself, too.
    const own = await addFault(SLOW);
    const again = await delayed("/summary", 2);
    expect((await manage(first, "DELETE", `/faults/${own}`)).status).toBe(204);
    await again.answered;
  });

  test("end when another server deletes everything, and later ones do not", async () => {
    const { second, addFault, delayed } = await open();
    await addFault(SLOW);
    await addFault({ ...SLOW, operation: "listTargets", times: 1 });
    const [summary, list] = [await delayed("/summary"), await delayed("/targets", 1)];
    await manage(second, "POST", "/reset");
    await Promise.all([summary.answered, list.answered]);
    const id = await addFault(SLOW);
    const other = await addFault({ ...SLOW, operation: "listTargets" });
    const [later, last] = [await delayed("/summary"), await delayed("/targets", 1)];
    await manage(second, "DELETE", `/faults/${other}`);
    await last.answered;
    expect(later.answer.status).toBeUndefined();
    await manage(second, "DELETE", `/faults/${id}`);
    await later.answered;
  });
});
