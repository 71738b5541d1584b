import fc from "fast-check";
import type { EmulatorControl } from "mock-cloud-reco";
import { changesOfMocks, continueIn } from "./calls.ts";
import type { World } from "./environments.ts";
import { addFault, removeFault } from "./faults.ts";
import { expectStopped, flights } from "./flights.ts";
import type { Model } from "./model.ts";
import { closePage, pages } from "./pages.ts";
import { always, type Command, command, expectSame, manage, of, type Real } from "./real.ts";
import { reports } from "./reports.ts";
import { databaseName } from "./requests.ts";
import { sequences } from "./sequences.ts";
import { services } from "./services.ts";
import { type Database, type Keys, START } from "./state.ts";

/** A change, either by a method, where there are some, or by the target manager's API, which must do the same. */
const change = (
  text: string,
  check: (model: Model) => boolean,
  byMethod: (control: EmulatorControl, real: Real) => unknown,
  byApi: (real: Real) => Promise<unknown>,
  apply: (model: Model) => void,
): fc.Arbitrary<Command> =>
  fc.boolean().map((isMethod) =>
    command(
      `${isMethod ? "" : "manager: "}${text}`,
      check,
      async (model, real) => {
        const { control } = real.world;
        await (isMethod && control !== undefined ? byMethod(control, real) : byApi(real));
        apply(model);
      },
      { sendsNothing: isMethod },
    ),
  );

const addDatabase = (name: string, targetQuota: number): Command =>
  command(
    `addDatabase(${name}, ${targetQuota})`,
    (model) => model.database(name) === undefined,
    async (model, real) => {
      const fields = { database_name: name, target_quota: targetQuota };
      const keys = await manage<Keys>(real, "POST", "/cloud_databases", fields);
      const born = model.next();
      model.state.databases.push({
        born,
        name,
        keys,
        state: "WORKING",
        targetQuota,
        requestQuota: 100_000,
        limit: null,
        groups: {},
        accepted: {},
        targets: [],
        reports: [],
      });
      const { control } = real.world;
      if (control === undefined) return;
      real.handles.set(born, handleOf(control, name));
      model.handles.push(born);
    },
  );

function handleOf(control: EmulatorControl, name: string) {
  const handle = control.findCloudDatabase(name);
  if (handle === undefined) throw new Error(`the database ${name} is missing`);
  return handle;
}

/** Rate limits by group, in which only the list of targets has one of its own. */
const limitsOf = (other: readonly [number, number] | null, most: string, window: string) =>
  other && {
    other: { [most]: other[0], [window]: other[1] },
    [most === "max_requests" ? "list_targets" : "listTargets"]: { [most]: 1, [window]: 2 },
  };

const groupsOf = (other: readonly [number, number] | null): Database["groups"] =>
  other === null ? {} : { other, listTargets: [1, 2] };

/** For the API and the model; methods take the names of the API in another case. */
const databaseChanges: readonly (readonly [object, object, Partial<Database>])[] = [
  ...[0, 2].map((n) => [{ target_quota: n }, { targetQuota: n }, { targetQuota: n }] as const),
  ...[0, 9].map((n) => [{ request_quota: n }, { requestQuota: n }, { requestQuota: n }] as const),
  ...[null, 0, 2].map(
    (n) => [{ requests_per_second_limit: n }, { requestsPerSecondLimit: n }, { limit: n }] as const,
  ),
  ...[null, [2, 1] as const, [1, 60] as const].map(
    (other) =>
      [
        { request_rate_limits: limitsOf(other, "max_requests", "window_seconds") },
        { requestRateLimits: limitsOf(other, "maxRequests", "windowSeconds") },
        { groups: groupsOf(other) },
      ] as const,
  ),
  ...["PROJECT_SUSPENDED", "PROJECT_INACTIVE", "PROJECT_HAS_NO_API_ACCESS", "WORKING", "WORKING"].map(
    (state) => [{ state_name: state }, { stateName: state }, { state }] as const,
  ),
];

const updateDatabase = fc
  .tuple(databaseName, fc.constantFrom(...databaseChanges))
  .chain(([name, [api, method, changes]]) =>
    change(
      `updateDatabase(${name}, ${JSON.stringify(changes)})`,
      (model) => model.database(name) !== undefined,
      (control) => control.updateDatabase(handleOf(control, name), method),
      (real) => manage(real, "PUT", `/cloud_databases/${name}`, api),
      (model) => Object.assign(model.database(name) ?? {}, changes),
    ),
  );

const deleteDatabase = databaseName.chain((name) =>
  change(
    `deleteDatabase(${name})`,
    (model) => model.database(name) !== undefined,
    (control) => control.deleteDatabase(handleOf(control, name)),
    (real) => manage(real, "DELETE", `/cloud_databases/${name}`),
    ({ state }) => {
      state.databases = state.databases.filter((each) => each.name !== name);
    },
  ),
);

/** Through a handle that was kept, although its database may be deleted, brought back or replaced. */
const useHandle = fc.tuple(fc.nat(9), fc.boolean()).map(([index, deletes]) =>
  command(
    `${deletes ? "deleteDatabase" : "targets"}(handle #${index})`,
    ({ handles }) => handles.length > 0,
    async (model, real) => {
      const born = of(model.handles, index);
      const handle = real.handles.get(born);
      if (handle === undefined) throw new Error("the handle is missing");
      const database = model.state.databases.find((each) => each.born === born);
      const targets = database === undefined ? [] : model.sorted(database);
      expectSame(
        handle.targets.map(({ name, status }) => [name, status]),
        targets.map((target) => [target.name, model.status(target)]),
        "targets of a handle",
      );
      if (!deletes) return;
      expectSame(real.world.control?.deleteDatabase(handle), database !== undefined, "deleteDatabase");
      model.state.databases = model.state.databases.filter((each) => each !== database);
    },
  ),
);

const snapshot = fc.constant(
  command("snapshot", always, async (model, real) => {
    real.snapshots.push(await manage(real, "GET", "/snapshot"));
    model.snapshots.push(model.saved);
  }),
);

const restore = fc.nat(9).chain((index) =>
  change(
    `restore(#${index})`,
    ({ snapshots }) => snapshots.length > 0,
    (control, { snapshots }) => control.restore(of(snapshots, index)),
    (real) => manage(real, "PUT", "/snapshot", of(real.snapshots, index)),
    (model) => model.restore(of(model.snapshots, index)),
  ),
);

const advance = fc.constantFrom(-61, -3, -1, 1, 2, 61).chain((seconds) =>
  change(
    `advance(${seconds})`,
    always,
    (control) => control.clock.advance(seconds),
    (real) => manage(real, "POST", "/clock/advance", { seconds }),
    ({ state }) => {
      state.now += seconds * 1000;
    },
  ),
);

const setClock = fc.tuple(fc.constantFrom(-5, 0, 5), fc.boolean()).chain(([seconds, frozen]) => {
  const now = new Date(START + seconds * 1000);
  return change(
    `setClock(${seconds}${frozen ? ", frozen" : ""})`,
    always,
    (control) => control.clock.set(now, frozen),
    (real) => manage(real, "PUT", "/clock", { now, frozen: frozen || real.world.clockRuns === true }),
    ({ state }) => {
      state.now = now.getTime();
    },
  );
});

/** What all environments have. */
const changes: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(databaseName, fc.constantFrom(1, 2, 100)).map((given) => addDatabase(...given)),
  fc.tuple(databaseName, fc.constantFrom(1, 2, 100)).map((given) => addDatabase(...given)),
  updateDatabase,
  deleteDatabase,
  addFault,
  addFault,
  removeFault,
  removeFault,
  snapshot,
  restore,
  advance,
  setClock,
  fc.boolean().map((isMethod) =>
    command(
      isMethod ? "reset()" : "manager: reset()",
      always,
      async (model, real) => {
        const { control, freeze } = real.world;
        const byMethod = isMethod && control !== undefined;
        await (byMethod ? control.reset() : manage(real, "POST", "/reset"));
        await freeze?.();
        model.reset();
        if (byMethod) model.state.expected = [];
      },
      { sendsNothing: isMethod },
    ),
  ),
  change(
    "finishProcessing()",
    always,
    (control) => control.finishProcessing(),
    (real) => manage(real, "POST", "/finish_processing"),
    (model) => model.finishProcessing(),
  ),
  fc.constant(
    command("clearRequests()", always, async (model, real) => {
      await manage(real, "DELETE", "/requests");
      model.clearRequests();
    }),
  ),
];

/** What only environments have that keep their state in a file. */
const restart = fc.constant(
  command(
    "save, stop, load",
    ({ isIsolated, flights }) => !isIsolated && flights.every(({ until }) => until !== "landing"),
    async (model, real) => {
      await closePage(real);
      real.world = (await real.world.restart?.()) ?? real.world;
      model.restart();
      await expectStopped(model, real);
    },
  ),
);

/** A server is killed and started again: only one that keeps the state in its memory loses something. */
const kill = (server: string): Command =>
  command(`kill ${server}, start it`, always, async (model, real) => {
    const killed = real.world.kill?.[server];
    await closePage(real);
    model.hasPage = false;
    if (killed?.losesState === true) model.reset();
    await killed?.restart();
    // Responses that it was delaying may have come or not.
    model.flights.splice(0);
    await Promise.allSettled(real.flights.splice(0).map(({ answer }) => answer));
  });

/** The commands besides requests. */
export const changesIn = (world: World): readonly fc.Arbitrary<Command>[] => [
  ...changes,
  ...services,
  ...reports,
  ...sequences,
  ...flights,
  ...pages,
  ...(world.control === undefined ? [] : [useHandle, useHandle]),
  ...(world.restart === undefined ? [] : [restart]),
  // As seldom as any other command, because a start takes longer than all others together.
  ...(world.kill === undefined ? [] : [fc.constantFrom(...Object.keys(world.kill).map(kill))]),
  ...(world.mock === undefined ? [] : [...changesOfMocks, continueIn, continueIn]),
];

/** Every program starts with these, so that most of its commands can run. */
export const prefix: readonly Command[] = [addDatabase("a", 3), addDatabase("b", 3)];
