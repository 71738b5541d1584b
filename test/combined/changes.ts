import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import type { EmulatorControl } from "mock-cloud-reco";
import type { World } from "./environments.ts";
import { type Database, type Effect, type Keys, type Model, START } from "./model.ts";
import {
  type Command,
  command,
  databaseName,
  expectSame,
  FAULT_STATUS,
  manage,
  operationName,
  type Real,
} from "./requests.ts";

const always = (): boolean => true;

/** A change, either by a method or by the target manager's API, which must do the same. */
const change = (
  text: string,
  check: (model: Model) => boolean,
  byMethod: (control: EmulatorControl, real: Real) => unknown,
  byApi: (real: Real) => Promise<unknown>,
  apply: (model: Model) => void,
): fc.Arbitrary<Command> =>
  fc.boolean().map((isMethod) =>
    command(`${isMethod ? "" : "manager: "}${text}`, check, async (model, real) => {
      await (isMethod ? byMethod(real.world.control, real) : byApi(real));
      apply(model);
    }),
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
        accepted: [],
        targets: [],
      });
      real.handles.set(born, handleOf(real.world.control, name));
      model.handles.push(born);
    },
  );

function handleOf(control: EmulatorControl, name: string) {
  const handle = control.findCloudDatabase(name);
  if (handle === undefined) throw new Error(`the database ${name} is missing`);
  return handle;
}

/** For the API and the model; methods take the names of the API in another case. */
const databaseChanges: readonly (readonly [object, object, Partial<Database>])[] = [
  ...[0, 2].map((n) => [{ target_quota: n }, { targetQuota: n }, { targetQuota: n }] as const),
  ...[0, 9].map((n) => [{ request_quota: n }, { requestQuota: n }, { requestQuota: n }] as const),
  ...[null, 0, 2].map(
    (n) => [{ requests_per_second_limit: n }, { requestsPerSecondLimit: n }, { limit: n }] as const,
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

const of = <Each>(list: readonly Each[], index: number): Each => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("the list is empty");
  return found;
};

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
      expectSame(real.world.control.deleteDatabase(handle), database !== undefined, "deleteDatabase");
      model.state.databases = model.state.databases.filter((each) => each !== database);
    },
  ),
);

const addFault = fc
  .tuple(
    operationName,
    fc.option(databaseName, { nil: undefined }),
    fc.constantFrom(1, 1, 2, 1000),
    fc.constantFrom<Effect>("answer", "answer", "executed", "delay"),
    fc.boolean(),
  )
  .map(([operation, database, times, wanted, isMethod]) => {
    // After an executed one, nobody would know the id of the target.
    const effect = operation === "addTarget" && wanted === "executed" ? "answer" : wanted;
    return command(
      `${isMethod ? "" : "manager: "}addFault(${operation}, ${database ?? "any"}, ${times}, ${effect})`,
      always,
      async (model, real) => {
        const answer = { status: FAULT_STATUS };
        const key = model.next();
        let id = "";
        if (isMethod) {
          const handle = real.world.control.addFault({
            operation,
            times,
            ...(database !== undefined && { database }),
            ...(effect === "delay" ? { delaySeconds: 0.001 } : { answer, executed: effect === "executed" }),
          });
          real.faults.set(key, handle);
        } else {
          ({ id } = await manage<{ readonly id: string }>(real, "POST", "/faults", {
            operation,
            times,
            ...(database !== undefined && { database_name: database }),
            ...(effect === "delay" ? { delay_seconds: 0.001 } : { answer, executed: effect === "executed" }),
          }));
        }
        model.state.faults.unshift({ key, id, operation, database, times, effect, applied: 0 });
      },
    );
  });

const removeFault = fc.nat(9).map((index) =>
  command(
    `removeFault(#${index})`,
    ({ state }) => state.faults.length > 0,
    async ({ state }, real) => {
      const fault = of(state.faults, index);
      const handle = real.faults.get(fault.key);
      if (handle === undefined) await manage(real, "DELETE", `/faults/${fault.id}`);
      else handle.remove();
      state.faults = state.faults.filter((each) => each !== fault);
    },
  ),
);

const countFaults = fc.constant(
  command("countFaults", always, async ({ state: { faults } }, real) => {
    const listed = await manage<readonly { operation: readonly string[]; times_applied: number }[]>(
      real,
      "GET",
      "/faults",
    );
    expectSame(
      listed.map(({ operation, times_applied }) => [operation[0], times_applied]),
      faults.map(({ operation, applied }) => [operation, applied]),
      "faults",
    );
  }),
);

const snapshot = fc.constant(
  command("snapshot", always, async (model, real) => {
    real.snapshots.push(await manage(real, "GET", "/snapshot"));
    model.snapshots.push(structuredClone(model.state.databases));
  }),
);

const restore = fc.nat(9).chain((index) =>
  change(
    `restore(#${index})`,
    ({ snapshots }) => snapshots.length > 0,
    (control, { snapshots }) => control.restore(of(snapshots, index)),
    (real) => manage(real, "PUT", "/snapshot", of(real.snapshots, index)),
    ({ state, snapshots }) => {
      state.databases = structuredClone(of(snapshots, index));
    },
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
    (real) => manage(real, "PUT", "/clock", { now, frozen }),
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
  useHandle,
  useHandle,
  addFault,
  addFault,
  removeFault,
  removeFault,
  countFaults,
  snapshot,
  restore,
  advance,
  setClock,
  fc.boolean().map((isMethod) =>
    command(isMethod ? "reset()" : "manager: reset()", always, async (model, real) => {
      await (isMethod ? real.world.control.reset() : manage(real, "POST", "/reset"));
      model.reset();
      if (isMethod) model.state.expected = [];
    }),
  ),
  change(
    "finishProcessing()",
    always,
    (control) => control.finishProcessing(),
    (real) => manage(real, "POST", "/finish_processing"),
    ({ state }) => {
      for (const target of state.databases.flatMap(({ targets }) => targets))
        Object.assign(target, { processed: true, rated: true });
    },
  ),
  fc.constant(
    command("clearRequests()", always, async ({ state }, real) => {
      await manage(real, "DELETE", "/requests");
      state.journal = [];
    }),
  ),
  fc.constant(
    command(
      "save, stop, load",
      ({ depth }) => depth === 0,
      async (model, real) => {
        real.world = await real.world.restart();
        model.restart();
      },
    ),
  ),
];

/** What only a mock in this process has. */
const changesOf = (mockOf: (real: Real) => NonNullable<World["mock"]>): readonly fc.Arbitrary<Command>[] => [
  fc.constant(
    command(
      "stop(), start()",
      // Inside a call, a pool of fetch then connects anew in that call, and so do requests of calls that are nested in it.
      ({ depth }) => depth === 0,
      async (_model, real) => {
        mockOf(real).stop();
        mockOf(real).start();
      },
    ),
  ),
  operationName.map((operation) =>
    command(`expectRefusal(${operation})`, always, async ({ state }, real) => {
      mockOf(real).expectRefusal({ operation });
      state.expected.push(operation);
    }),
  ),
  /*
   * Flat brackets instead of nested programs, so that either one can be left out when a program is shortened: what the
   * asynchronous context of a running isolate() call sees is captured, and every command until the end runs in it.
   */
  ...[1, 2, 3].flatMap(() => [
    fc.constant(
      command(
        "isolate {",
        ({ depth }) => depth < 3,
        async (model, real) => {
          model.begin();
          await new Promise<void>((started) => {
            const call = mockOf(real).isolate(
              () =>
                new Promise<void>((finish) => {
                  const run = AsyncLocalStorage.snapshot();
                  const end = async () => {
                    finish();
                    await call;
                  };
                  real.calls.push({ run, end });
                  started();
                }),
            );
          });
        },
      ),
    ),
    fc.constant(
      command(
        "}",
        ({ depth }) => depth > 0,
        async (model, real) => {
          model.end();
          await real.calls.pop()?.end();
        },
      ),
    ),
  ]),
];

const mockOf = ({ world: { mock } }: Real): NonNullable<World["mock"]> => {
  if (mock === undefined) throw new Error("there is no mock in this environment");
  return mock;
};

/** The commands besides requests. */
export const changesIn = ({ mock }: World): readonly fc.Arbitrary<Command>[] =>
  mock === undefined ? changes : [...changes, ...changesOf(mockOf)];

/** Every program starts with these, so that most of its commands can run. */
export const prefix: readonly Command[] = [addDatabase("a", 3), addDatabase("b", 3)];
