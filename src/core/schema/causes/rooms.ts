import { bodyCauses } from "./bodies.ts";
import { headerCauses } from "./headers.ts";
import { imageCauses } from "./images.ts";
import { modelTargetCauses } from "./model-targets.ts";
import { queryCauses } from "./queries.ts";
import { faultCauses, managerCauses, realismCauses, serverCauses } from "./servers.ts";
import { signatureCauses } from "./signature.ts";
import { targetCauses } from "./targets.ts";

/** All codes in the order of the reference. */
export const ROOMS = [
  ["Headers and keys", headerCauses],
  ["Signatures", signatureCauses],
  ["Bodies, JSON and base64", bodyCauses],
  ["Pictures", imageCauses],
  ["Targets, VuMark instances and reports", targetCauses],
  ["Queries, and remarks on answers", queryCauses],
  ["Model Targets and OAuth 2.0", modelTargetCauses],
  ["The target manager", managerCauses],
  ["Paths, connections and servers", serverCauses],
  ["Faults", faultCauses],
  ["The option realism", realismCauses],
] as const;

export const ROWS = {
  ...headerCauses,
  ...signatureCauses,
  ...bodyCauses,
  ...imageCauses,
  ...targetCauses,
  ...queryCauses,
  ...modelTargetCauses,
  ...managerCauses,
  ...serverCauses,
  ...faultCauses,
  ...realismCauses,
};

export const CODES = Object.keys(ROWS) as readonly (keyof typeof ROWS)[];
