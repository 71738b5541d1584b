import { configuredReply } from "../responses/configured.ts";
import { asciiJson } from "../responses/json.ts";
import { plainReply } from "../responses/plain.ts";
import { RESULT_CODES } from "../responses/result-codes.ts";
import { transactionId } from "../responses/target-api.ts";
import type { Operation } from "../runtime/operation.ts";
import type { ModelTargetPhase, Settings } from "../services.ts";
import type { FaultRule } from "./fault-rule.ts";

const PHASE_OF: ReadonlyMap<Operation | undefined, ModelTargetPhase> = new Map([
  ["createDataset", "create"],
  ["datasetStatus", "status"],
  ["downloadDataset", "download"],
  ["deleteDataset", "delete"],
]);

/** The failures that the protocol names as options: they come before any check, and never end. */
export function presetFaults({
  cloudQueryFailure,
  modelTargetFailure,
  instanceGenerationFailure: code,
}: Settings): readonly FaultRule[] {
  const faults: FaultRule[] = [];
  if (cloudQueryFailure !== undefined) {
    faults.push({
      origin: "cloudQueryFailure",
      effect: `every query fails with ${cloudQueryFailure.status}, as the option cloudQueryFailure says`,
      concerns: ({ operation }) => operation === "query",
      respond: () => configuredReply(cloudQueryFailure),
    });
  }
  if (modelTargetFailure !== undefined) {
    const { phases = [...PHASE_OF.values()], ...failure } = modelTargetFailure;
    faults.push({
      origin: "modelTargetFailure",
      effect: `the option modelTargetFailure answers every request of the phases ${phases.join(", ")}`,
      concerns: ({ operation }) => phases.some((phase) => phase === PHASE_OF.get(operation)),
      respond: () => configuredReply(failure),
    });
  }
  if (code !== undefined) {
    faults.push({
      origin: "instanceGenerationFailure",
      effect: `instanceGenerationFailure is configured as ${code}`,
      concerns: ({ operation }) => operation === "generateInstance",
      // Without the headers that other responses of the target API have (protocol section 6).
      respond: ({ exchange }) => {
        const body = asciiJson({ transaction_id: transactionId(exchange), result_code: code });
        const reply = plainReply(exchange, RESULT_CODES[code].status, "application/json", body);
        return { ...reply, resultCode: code };
      },
    });
  }
  return faults;
}
