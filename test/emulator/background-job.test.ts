import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BackgroundJob, type Steps } from "../../src/emulator/scheduling.ts";

const turns = async (count: number) => {
  for (let index = 0; index < count; index++) await turn();
};

/** Counts its steps, of which there are ten. */
function counting() {
  const steps = { done: 0 };
  function* count(): Steps<string> {
    for (; steps.done < 10; steps.done++) yield;
    return "counted";
  }
  return { steps, job: new BackgroundJob(count()) };
}

describe("a job in the background", () => {
  it("runs one step in a turn of the event loop", async () => {
    const { steps, job } = counting();
    job.start();
    expect(steps.done).toBe(0);
    let most = 0;
    for (let before = 0; !job.isSettled; before = steps.done) {
      await turn();
      most = Math.max(most, steps.done - before);
    }
    expect(most).toBe(1);
    expect(job.known).toBe("counted");
  });

  it("is finished at once, or as soon as possible, by those who need it", async () => {
    const { steps, job } = counting();
    job.start();
    await turns(4);
    expect(job.known).toBeUndefined();
    const soon = [job.result(), job.result()];
    expect(job.atOnce()).toBe("counted");
    expect(steps.done).toBe(10);
    expect(await Promise.all(soon)).toEqual(["counted", "counted"]);
  });

  it("goes no further when whoever started it has stopped, until it is needed", async () => {
    const by = { isStopped: false };
    const [first, second] = [counting(), counting()];
    first.job.start(by);
    second.job.start(by);
    while (first.steps.done < 3) await turn();
    by.isStopped = true;
    const { done } = first.steps;
    await turns(40);
    expect([first.steps.done, second.steps.done]).toEqual([done, 0]);
    expect(await second.job.result()).toBe("counted");
  });

  it("fails where its result is read, and nowhere else", async () => {
    function* failing(): Steps<never> {
      yield;
      throw new Error("no more memory");
    }
    const job = new BackgroundJob(failing());
    job.start();
    while (!job.isSettled) await turn();
    expect(() => job.atOnce()).toThrow("no more memory");
    await expect(job.result()).rejects.toThrow("no more memory");
    // Those after it are not kept waiting.
    const { job: next } = counting();
    next.start();
    while (!next.isSettled) await turn();
  });
});
