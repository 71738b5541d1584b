import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { realTimers } from "../../src/emulator/real-timers.ts";
import {
  awaited,
  BackgroundJob,
  type LateSteps,
  postponeBackground,
  runInBackground,
  type Steps,
} from "../../src/emulator/scheduling.ts";

const turns = async (count: number) => {
  for (let index = 0; index < count; index++) await turn();
};

/** Counts its steps, of which there are ten. */
function counting(forget?: () => void) {
  const steps = { done: 0 };
  function* count(): Steps<string> {
    for (; steps.done < 10; steps.done++) yield;
    return "counted";
  }
  return { steps, job: new BackgroundJob(count, forget) };
}

describe("a job in the background", () => {
  it("runs one step in a turn of the event loop", async () => {
    const { steps, job } = counting();
    job.start();
    expect(steps.done).toBe(0);
    let most = 0;
    for (let before = 0; !job.isDone; before = steps.done) {
      await turn();
      most = Math.max(most, steps.done - before);
    }
    expect(most).toBe(1);
    expect(job.known).toBe("counted");
  });

  it("waits while something else is done again and again, unless somebody needs it", async () => {
    const [postponed, needed] = [counting(), counting()];
    await turns(4);
    const waits = vi.spyOn(realTimers, "setTimeout").mockReturnValue(setTimeout(() => {}));
    postponeBackground();
    postponed.job.start();
    const [wait] = waits.mock.calls;
    waits.mockRestore();
    expect(await needed.job.result()).toBe("counted");
    expect(postponed.steps.done).toBe(0);
    wait?.[0]();
    while (!postponed.job.isDone) await turn();
    expect(postponed.job.known).toBe("counted");
  });

  it("does not wait while hundreds of others wait", async () => {
    const later = vi.spyOn(realTimers, "setTimeout").mockReturnValue(setTimeout(() => {}));
    let done = 0;
    const runOther = async () => {
      done += 1;
    };
    for (let others = 0; others < 300; others++) runInBackground(runOther);
    while (later.mock.calls.length === 0) {
      postponeBackground();
      await turn();
    }
    expect(done).toBeGreaterThan(200);
    expect(done).toBeLessThan(300);
    const [wait] = later.mock.calls;
    later.mockRestore();
    wait?.[0]();
    while (done < 300) await turn();
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

  it("is forgotten once when whoever started it has stopped, begun or not", async () => {
    const by = { isStopped: false };
    const forget = vi.fn();
    const jobs = [counting(forget), counting(forget)];
    for (const { job } of jobs) job.start(by);
    while (jobs[0]?.steps.done === 0) await turn();
    by.isStopped = true;
    const { job: next } = counting();
    next.start();
    while (!next.isDone) await turn();
    expect(forget).toHaveBeenCalledTimes(2);
    expect(jobs.map(({ job }) => job.isDone)).toEqual([false, false]);
  });

  it("is not forgotten while somebody else who started it goes on", async () => {
    const [first, second] = [{ isStopped: false }, { isStopped: false }];
    const forget = vi.fn();
    const { steps, job } = counting(forget);
    job.start(first);
    job.start(second);
    while (steps.done === 0) await turn();
    first.isStopped = true;
    while (!job.isDone) await turn();
    await turns(4);
    expect(forget).not.toHaveBeenCalled();
  });

  it("is forgotten when it fails, until it is needed", async () => {
    let fails = true;
    function* failing(): Steps<string> {
      yield;
      if (fails) throw new Error("no more memory");
      return "counted";
    }
    const forget = vi.fn();
    const job = new BackgroundJob(failing, forget);
    job.start();
    while (forget.mock.calls.length === 0) await turn();
    fails = false;
    expect(await job.result()).toBe("counted");
    expect(forget).toHaveBeenCalledTimes(1);
  });

  it("fails where its result is read, and nowhere else; whoever needs it then begins it again", async () => {
    let begun = 0;
    function* failing(): Steps<string> {
      begun += 1;
      yield;
      if (begun < 4) throw new Error("no more memory");
      return "counted";
    }
    const job = new BackgroundJob(failing);
    job.start();
    while (begun < 1) await turn();
    // Those after it are not kept waiting.
    const { job: next } = counting();
    next.start();
    while (!next.isDone) await turn();
    expect(() => job.atOnce()).toThrow("no more memory");
    await expect(job.result()).rejects.toThrow("no more memory");
    expect([job.known, begun]).toEqual([undefined, 3]);
    expect(await job.result()).toBe("counted");
  });

  it("waits for a promise, unless its result is needed at once", async () => {
    const decoding = () => {
      let [decoded, failed] = [(_: string) => {}, (_: Error) => {}];
      const pixels = new Promise<string>((resolve, reject) => {
        [decoded, failed] = [resolve, reject];
      });
      function* late(): LateSteps<string> {
        return (yield* awaited(pixels)) ?? "at once";
      }
      return { job: new BackgroundJob(late), decoded: () => decoded("later"), failed };
    };
    const [waiting, needed, failing] = [decoding(), decoding(), decoding()];
    for (const { job } of [waiting, needed, failing]) job.start();
    const read = [waiting, waiting, needed].map(({ job }) => job.result());
    const failure = expect(failing.job.result()).rejects.toThrow("no more memory");
    await turns(20);
    expect([waiting, needed, failing].map(({ job }) => job.isDone)).toEqual([false, false, false]);
    expect(needed.job.atOnce()).toBe("at once");
    failing.failed(new Error("no more memory"));
    for (const { decoded } of [waiting, needed]) decoded();
    expect(await Promise.all(read)).toEqual(["later", "later", "at once"]);
    await failure;
  });
});
