import fc from "fast-check";
import { type Described, isThere, sendAndCompare } from "./described.ts";
import type { Model } from "./model.ts";
import { type Command, command, expectSame, FAULT_STATUS, manage, of, type Real, send } from "./real.ts";
import { add, databaseName, list, query, remove, summary, update } from "./requests.ts";

/* What random programs rarely do. */

/** Which request a fault is for. */
const MEETING: Readonly<Record<string, (name: string) => Described>> = {
  databaseSummary: (name) => summary(name),
  listTargets: (name) => list(name),
  query: (name) => query(name, 0),
  addTarget: (name) => add(name, "y", 1),
  updateTarget: (name) => update(name, "y", { active: true }),
  deleteTarget: (name) => remove(name, "y"),
};

/** Faults are used up sooner than by chance. */
const meetFault = fc.tuple(fc.nat(3), databaseName).map(([index, any]) => {
  const meeting = ({ state }: Model): Described | undefined => {
    const { operation, database = any } = of(state.faults, index);
    return MEETING[operation]?.(database);
  };
  return command(
    `meet fault #${index}, ${any}`,
    (model) => {
      const described = model.state.faults.length > 0 ? meeting(model) : undefined;
      return described !== undefined && isThere(described)(model);
    },
    async (model, real) => {
      const described = meeting(model);
      if (described !== undefined) await sendAndCompare(model, real, described);
    },
  );
});

/** Signed with keys of nobody. */
async function sendAsStranger(model: Model, real: Real): Promise<void> {
  const fault = model.applyFault("databaseSummary", "");
  const keys = { server_access_key: "nobody", server_secret_key: "nothing" };
  const { status } = await send(real, keys, { method: "GET", path: "/summary" }, model.state.now);
  const isReplaced = fault === "answer" || fault === "executed";
  expectSame(status, isReplaced ? FAULT_STATUS : 400, "status of a stranger");
  model.record("databaseSummary", { fault, refused: fault === "answer" ? undefined : 400 });
}

/** What servers tell of a request only after the journal was cleared is forgotten. The stranger's request follows it. */
const forgotten = fc.tuple(databaseName, fc.boolean()).map(([name, resets]) => {
  const described = summary(name);
  return command(
    `${described.text}, ${resets ? "reset()" : "clearRequests()"} at once`,
    isThere(described),
    async (model, real) => {
      await sendAndCompare(model, real, described);
      await (resets ? manage(real, "POST", "/reset") : manage(real, "DELETE", "/requests"));
      if (resets) {
        await real.world.freeze?.();
        model.reset();
      } else model.clearRequests();
      await sendAsStranger(model, real);
    },
  );
});

/** What a limit has accepted is in snapshots: a restored database accepts no more than before. */
const restoredLimit = databaseName.map((name) => {
  const described = summary(name);
  return command(
    `limit ${name} to 1 request, ${described.text}, snapshot, restore, ${described.text}`,
    isThere(described),
    async (model, real) => {
      const other = { max_requests: 1, window_seconds: 60 };
      await manage(real, "PUT", `/cloud_databases/${name}`, { request_rate_limits: { other } });
      Object.assign(model.database(name) ?? {}, { groups: { other: [1, 60] } });
      await sendAndCompare(model, real, described);
      const snapshot = await manage<object>(real, "GET", "/snapshot");
      await manage(real, "PUT", "/snapshot", snapshot);
      model.restore(model.saved);
      await sendAndCompare(model, real, described);
    },
  );
});

export const sequences: readonly fc.Arbitrary<Command>[] = [meetFault, meetFault, forgotten, restoredLimit];
