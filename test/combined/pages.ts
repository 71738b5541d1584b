import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isUsedUp, type Model } from "./model.ts";
import { type Command, command, manage, type Real } from "./real.ts";

const openPage = fc.constant(
  command(
    "open a page",
    ({ isIsolated, hasPage }) => !isIsolated && !hasPage,
    async (model, real) => {
      real.page = await real.world.openPage();
      model.hasPage = true;
    },
  ),
);

/** The page shows the shared state, as soon as it has been told. */
async function expectSamePage(model: Model, { page }: Real): Promise<void> {
  const { state } = model;
  const wanted = state.databases.map((database) => {
    const processed = database.targets.filter((target) => model.status(target) === "success");
    const active = processed.filter((target) => target.active).length;
    const processing = database.targets.length - processed.length;
    return [database.name, active, processed.length - active, processing];
  });
  const faults = state.faults
    .filter((fault) => !isUsedUp(fault))
    .map(({ operation, applied }) => [operation, applied]);
  await page?.shows(
    ({ clock, cloudDatabases, faults: shown, datasets }) =>
      clock.now === state.now &&
      isDeepStrictEqual(
        cloudDatabases.map(({ databaseName: name, counts: { active, inactive, processing } }) => [
          name,
          active,
          inactive,
          processing,
        ]),
        wanted,
      ) &&
      isDeepStrictEqual(
        shown.map(({ operation, timesApplied }) => [operation?.[0], timesApplied]),
        faults,
      ) &&
      datasets.length === state.datasets.length,
    JSON.stringify({ now: state.now, wanted, faults, datasets: state.datasets.length }),
  );
}

const isOpen = ({ isIsolated, hasPage }: Model): boolean => !isIsolated && hasPage;

const comparePage = fc.constant(command("compare the page", isOpen, expectSamePage));

/** What was processed is processing again. */
const comparePages = fc.constant(
  command("compare the page, set the clock back, compare it again", isOpen, async (model, real) => {
    await expectSamePage(model, real);
    await manage(real, "POST", "/clock/advance", { seconds: -61 });
    model.state.now -= 61_000;
    await expectSamePage(model, real);
  }),
);

export const pages: readonly fc.Arbitrary<Command>[] = [openPage, comparePage, comparePages];

export async function closePage(real: Real): Promise<void> {
  await real.page?.close();
  real.page = undefined;
}
