import { Emulator, type EmulatorOptions } from "../emulator/emulator.ts";
import { Faults } from "../emulator/faults.ts";
import { Journal } from "../emulator/journal.ts";
import type { Api } from "../emulator/operation.ts";
import type { ApiName } from "../schema/protocol.ts";
import { managerApi } from "./manager/api.ts";
import { modelTargetApi } from "./model-target/api.ts";
import { presetFaults } from "./preset-faults.ts";
import { queryApi } from "./query/operations.ts";
import { reportOperations } from "./reports/operations.ts";
import type { ResolvedAnswerOptions, Services } from "./services.ts";
import { targetApi } from "./target/operations.ts";
import { consistent } from "./targets-view.ts";
import { instanceOperations } from "./vumark/operations.ts";

/** Every API, in the order in which hints list them. */
export const APIS: Readonly<Record<ApiName, Api<Services>>> = {
  target: {
    ...targetApi,
    operations: [...targetApi.operations, ...instanceOperations, ...reportOperations],
  },
  // The built package reads these when they are first asked for (decision 0015).
  get modelTarget() {
    return modelTargetApi;
  },
  get query() {
    return queryApi;
  },
  get manager() {
    return managerApi;
  },
};

/** Faults as the options define them; more can be added. */
export const createFaults = (answerOptions: ResolvedAnswerOptions): Faults =>
  new Faults(presetFaults(answerOptions));

export type ServiceEmulator = Emulator<Services>;

type Own = "journal" | "faults" | "consistency";

export function createEmulator(
  services: Omit<Services, Own> & Partial<Pick<Services, Own>>,
  options: EmulatorOptions,
): ServiceEmulator {
  const {
    journal = new Journal(),
    faults = createFaults(services.answerOptions),
    consistency = consistent,
  } = services;
  const all = { ...services, journal, faults: consistency.faults(faults), consistency };
  return new Emulator(APIS, all, options);
}
