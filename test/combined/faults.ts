import fc from "fast-check";
import { isUsedUp } from "./model.ts";
import { always, command, FAULT_STATUS, manage, of } from "./real.ts";
import { databaseName, operationName } from "./requests.ts";
import type { Effect } from "./state.ts";

export const addFault = fc
  .tuple(
    operationName,
    fc.option(databaseName, { nil: undefined }),
    fc.constantFrom(1, 1, 2, 1000, 0),
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
        const response = { status: FAULT_STATUS };
        const key = model.next();
        const often = times === 0 ? { probability: 0 } : { times, probability: 1 };
        const { control } = real.world;
        let id = "";
        if (isMethod && control !== undefined) {
          const handle = control.addFault({
            operation,
            ...often,
            ...(database !== undefined && { database }),
            ...(effect === "delay" ? { delaySeconds: 0.001 } : { response, executed: effect === "executed" }),
          });
          real.faults.set(key, handle);
        } else {
          ({ id } = await manage<{ readonly id: string }>(real, "POST", "/faults", {
            operation,
            ...often,
            ...(database !== undefined && { database_name: database }),
            ...(effect === "delay"
              ? { delay_seconds: 0.001 }
              : { response, executed: effect === "executed" }),
          }));
        }
        model.state.faults.unshift({ key, id, operation, database, times, effect, applied: 0 });
      },
    );
  });

export const removeFault = fc.nat(9).map((index) =>
  command(
    `removeFault(#${index})`,
    ({ state }) => state.faults.length > 0,
    async ({ state }, real) => {
      const fault = of(state.faults, index);
      const handle = real.faults.get(fault.key);
      if (handle !== undefined) handle.remove();
      else if (!isUsedUp(fault)) await manage(real, "DELETE", `/faults/${fault.id}`);
      state.faults = state.faults.filter((each) => each !== fault);
    },
  ),
);
