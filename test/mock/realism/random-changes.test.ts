import fc from "fast-check";
import { expect, it } from "vitest";
import { times } from "../../support/combinations.ts";
import { opened, poster } from "./shop.ts";

const LAGS = { visibilityLagSeconds: 3, deletionLagSeconds: 2, summaryLagSeconds: 7 };

/** What a target became; undefined: it was deleted. */
type State = { readonly name: string; readonly active: boolean } | undefined;
interface Event {
  readonly at: number;
  readonly state: State;
}
type Target = { readonly id: string; readonly events: Event[] };

/** The state after the last event that is seen already. */
function seen({ events }: Target, isSeen: (event: Event) => boolean): State {
  return events.findLast(isSeen)?.state;
}
const isOlder = (now: number, seconds: number) => (event: Event) => now - event.at >= seconds;
const isCompared = (now: number) => (event: Event) =>
  isOlder(now, event.state === undefined ? LAGS.deletionLagSeconds : LAGS.visibilityLagSeconds)(event);

type Step =
  | { readonly does: "add" }
  | { readonly does: "rename" | "toggle" | "delete"; readonly which: number }
  | { readonly does: "wait"; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant("add" as const) }),
  fc.record({
    does: fc.constantFrom("rename" as const, "toggle" as const, "delete" as const),
    which: fc.nat(5),
  }),
  fc.record({ does: fc.constant("wait" as const), seconds: fc.constantFrom(1, 2, 3) }),
);

it("answers as each moment's changes say that are older than their lag, whatever clients do", async () => {
  const program = async (steps: readonly Step[]) => {
    const { mock, database, clock, shop } = opened({ realism: LAGS });
    const anchor = await mock.addTarget(database, { name: "anchor", image: poster, processed: true });
    const targets: Target[] = [];
    let now = 0;
    for (const [index, given] of steps.entries()) {
      if (given.does === "wait") {
        now += given.seconds;
        clock.advance(given.seconds);
      } else if (given.does === "add") {
        const id = await shop.add(`target ${index}`);
        targets.push({ id, events: [{ at: now, state: { name: `target ${index}`, active: true } }] });
      } else {
        const target = targets[given.which % Math.max(1, targets.length)];
        const current = target?.events.at(-1)?.state;
        if (target === undefined) continue;
        const state = {
          rename: current && { ...current, name: `renamed ${index}` },
          toggle: current && { ...current, active: !current.active },
          delete: undefined,
        }[given.does];
        const { status } =
          state === undefined
            ? await shop.delete(target.id)
            : await shop.update(target.id, { name: state.name, active_flag: state.active });
        const isKnown =
          current !== undefined && seen({ ...target, events: target.events.slice(0, 1) }, isOlder(now, 3));
        expect(status).toBe(isKnown ? 200 : 404);
        if (isKnown) target.events.push({ at: now, state });
      }
      const visible = targets.filter(
        (target) =>
          target.events.at(-1)?.state !== undefined &&
          target.events.some(isOlder(now, LAGS.visibilityLagSeconds)),
      );
      expect((await shop.list()).sort()).toEqual([anchor.targetId, ...visible.map(({ id }) => id)].sort());
      for (const target of visible) {
        const { name, active_flag: active } = (await shop.get(target.id)).json.target_record;
        expect({ name, active }).toEqual(seen(target, isOlder(now, LAGS.visibilityLagSeconds)));
      }
      const found = targets.filter((target) => seen(target, isCompared(now))?.active === true);
      expect((await shop.duplicatesOf(anchor.targetId)).sort()).toEqual(found.map(({ id }) => id).sort());
      const counted = targets.map((target) => seen(target, isOlder(now, LAGS.summaryLagSeconds)));
      expect((await shop.summary()).json).toMatchObject({
        active_images: 1 + counted.filter((state) => state?.active === true).length,
        inactive_images: counted.filter((state) => state?.active === false).length,
      });
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), program), {
    numRuns: times(12, 4),
  });
});
