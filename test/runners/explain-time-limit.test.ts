import { ManualClock } from "mock-cloud-reco";
import type { MockFixtureOptions } from "mock-cloud-reco/assert";
import { describe, expect, it, vi } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { openFixture } from "./open-fixture.ts";

describe("a test that ran into its time limit while a target is processing", () => {
  const timeout = () => new Error("Test timed out in 5000ms.");
  const still =
    "1 target is still processing, but the clock does not move: advance it, or call mock.finishProcessing().";
  const opened = async (options: MockFixtureOptions = {}) => {
    const fixture = openFixture(options);
    await fixture.mock.addTarget(fixture.database, { image: makePng() });
    await new MockSession(fixture.mock, fixture.database, () => fixture.mock.clock.now()).target({
      method: "GET",
      path: "/targets",
    });
    return fixture;
  };

  it("is told that its clock stands still", async () => {
    const { end } = await opened({ clock: new ManualClock() });
    expect(end({ failed: true, error: timeout() })).toBe(still);
  });

  it("is told so with fake timers", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { end } = await opened();
      expect(end({ failed: true, error: timeout() })).toBe(still);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is told nothing when the clock runs, nothing is processing, or it failed otherwise", async () => {
    const clock = new ManualClock();
    const running = await opened({ clock, processingTimeSeconds: 60 });
    clock.advance(1);
    expect(running.end({ failed: true, error: timeout() })).toBeUndefined();
    const processed = await opened({ clock: new ManualClock() });
    processed.mock.finishProcessing();
    expect(processed.end({ failed: true, error: timeout() })).toBeUndefined();
    const other = await opened({ clock: new ManualClock() });
    expect(other.end({ failed: true, error: new Error("expected 1 to be 2") })).toBeUndefined();
  });
});

it("a test that gave up is told of fake timers that keep HTTP clients waiting", () => {
  const { nextTick } = process;
  const fixture = openFixture();
  process.nextTick = Object.assign((...given: Parameters<typeof nextTick>) => nextTick(...given), {});
  try {
    expect(
      fixture.end({ failed: true, error: new Error("Test timed out in 5000ms.") })?.replace(/\s+/g, " "),
    ).toBe(
      "Fake timers replace process.nextTick, without which HTTP clients wait for ever: leave them real, as " +
        'sinon.useFakeTimers({ toFake: ["Date"] }) does.',
    );
  } finally {
    process.nextTick = nextTick;
  }
});
