import type { FaultRule } from "../emulator/faults.ts";
import { ok } from "../emulator/response.ts";
import { cause } from "../schema/causes/causes.ts";
import type { Operation } from "../schema/protocol.ts";
import type { ModelTargetPhase, ResolvedAnswerOptions } from "./services.ts";
import { CONFIGURED_FAILURES } from "./signed/configured-failures.ts";

const PHASE_OF: ReadonlyMap<Operation | undefined, ModelTargetPhase> = new Map([
  ["createDataset", "create"],
  ["datasetStatus", "status"],
  ["downloadDataset", "download"],
  ["deleteDataset", "delete"],
]);

/** Permanent faults that the options define: the requests that they concern get the configured response, before any check. */
export function presetFaults({
  cloudQueryFailure,
  instanceGenerationFailure,
  modelTargetFailure,
}: ResolvedAnswerOptions): readonly FaultRule[] {
  const rules: FaultRule[] = [];
  if (instanceGenerationFailure !== undefined)
    rules.push({
      configuredBy: "instanceGenerationFailure",
      effect: cause("fault.instance", { result: instanceGenerationFailure }),
      matches: ({ operation }) => operation === "generateInstance",
      response: ok(CONFIGURED_FAILURES[instanceGenerationFailure]),
    });
  if (modelTargetFailure !== undefined) {
    const { phases = [...PHASE_OF.values()], ...response } = modelTargetFailure;
    rules.push({
      configuredBy: "modelTargetFailure",
      effect: cause("fault.model-target", { phases: phases.join(", ") }),
      matches: ({ operation }) => phases.some((phase) => phase === PHASE_OF.get(operation)),
      response,
    });
  }
  if (cloudQueryFailure !== undefined)
    rules.push({
      configuredBy: "cloudQueryFailure",
      effect: cause("fault.query", { status: cloudQueryFailure.status }),
      matches: ({ operation }) => operation === "query",
      response: cloudQueryFailure,
    });
  return rules;
}
