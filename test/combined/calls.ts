import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import type { World } from "./environments.ts";
import { expectStopped, heldQueries } from "./flights.ts";
import { closePage } from "./pages.ts";
import { always, type Command, command, expectSame, type Real } from "./real.ts";
import { operationName } from "./requests.ts";

const mockOf = ({ world: { mock } }: Real): NonNullable<World["mock"]> => {
  if (mock === undefined) throw new Error("there is no mock in this environment");
  return mock;
};

/** Where no call runs. */
const outside = AsyncLocalStorage.snapshot();

/** What only a mock in this process has. */
export const changesOfMocks: readonly fc.Arbitrary<Command>[] = [
  fc.constant(
    command(
      "stop(), start()",
      // Inside a call, a pool of fetch then connects anew in that call, and so do requests of calls that are nested in it.
      always,
      async (model, real) => {
        await closePage(real);
        model.hasPage = false;
        mockOf(real).stop();
        mockOf(real).start();
        await expectStopped(model, real);
      },
    ),
  ),
  heldQueries,
  fc.boolean().map((isOutside) =>
    command(
      `clearRequests() by method${isOutside ? ", outside of all calls" : ""}`,
      always,
      async (model, real) => {
        const mock = mockOf(real);
        if (isOutside) outside(() => mock.clearRequests());
        else mock.clearRequests();
        model.clearRequests(isOutside ? model.open[0] : model.state);
      },
      { sendsNothing: true },
    ),
  ),
  operationName.map((operation) =>
    command(
      `expectRefusal(${operation})`,
      always,
      async ({ state }, real) => {
        mockOf(real).expectRefusal({ operation });
        state.expected.push(operation);
      },
      { sendsNothing: true },
    ),
  ),
  fc.constant(
    command("report()", always, async (model, real) => {
      const { databases, requests } = mockOf(real).page.report();
      expectSame(
        databases.flatMap((each) =>
          each.kind === "cloud"
            ? [[each.databaseName, each.targets.map(({ name, status }) => [name, status])]]
            : [],
        ),
        model.state.databases.map((each) => [
          each.name,
          model.sorted(each).map((target) => [target.name, model.status(target)]),
        ]),
        "databases of the report",
      );
      const own = requests.filter(({ api }) => api !== "manager");
      expectSame(own.length, model.state.journal.length, "requests of the report");
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
        ({ open }) => open.length < 4,
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
        { sendsNothing: true },
      ),
    ),
    fc.constant(
      command(
        "}",
        ({ canEnd }) => canEnd,
        async (model, real) => {
          const [call] = real.calls.splice(model.index - 1, 1);
          model.end();
          await call?.end();
        },
        { sendsNothing: true },
      ),
    ),
  ]),
];

/** Goes on in another running call, or outside of all: so that calls overlap, and things change outside of one. */
export const continueIn = fc.nat(3).map((index) =>
  command(
    `continue in #${index}`,
    ({ isIsolated }) => isIsolated,
    async (model) => model.continueIn(index),
    { sendsNothing: true },
  ),
);
