import type { Api } from "../core/api.ts";
import { Emulator as CoreEmulator, type EmulatorOptions } from "../core/emulator.ts";
import { Journal } from "../core/journal.ts";
import { managerApi } from "./manager/api.ts";
import { modelTargetApi } from "./model-target/api.ts";
import { queryApi } from "./query/api.ts";
import { reportOperations } from "./reports/operations.ts";
import type { Services } from "./shared/services.ts";
import { targetApi } from "./target/api.ts";
import { instanceFaults, instanceOperations } from "./vumark/operations.ts";

/** Every API, in the order in which hints list them. */
export const APIS: readonly Api<Services>[] = [
  {
    ...targetApi,
    operations: [...targetApi.operations, ...instanceOperations, ...reportOperations],
    presetFaults: instanceFaults,
  },
  modelTargetApi,
  queryApi,
  managerApi,
];

/** An emulator of all APIs. */
export type Emulator = CoreEmulator<Services>;

/** Creates an emulator of all APIs. Without a journal it gets a new one. */
export const createEmulator = (
  { journal = new Journal(), ...services }: Omit<Services, "journal"> & Partial<Pick<Services, "journal">>,
  options: EmulatorOptions,
): Emulator => new CoreEmulator(APIS, { ...services, journal }, forRequest, options);

/** The store orders requests by their arrival. */
const forRequest = (services: Services): Services => ({ ...services, store: services.store.forRequest() });
