import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { faultJson, postedFault } from "../../schema/fault.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { addedWith, doneWithAll, noContent, refuseUnknown, unknownToDelete } from "./responses.ts";

/** Failures that a test injects. All servers of the manager share them. */

const FAULTS = "/faults";
const faults = doneWithAll(faultJson);

export const listFaults = operation({
  name: "manager.listFaults",
  method: "GET",
  path: FAULTS,
  summary: "Lists the faults, newest first, and how many requests each was applied to.",
  checks: anyRequest,
  responses: [faults],
  handle: async ({ services }) => ok(faults, await services.faults.list()),
});

const faultBody = jsonBody(postedFault.schema);
const faultAdded = addedWith(faultJson);

export const addFault = operation({
  name: "manager.addFault",
  method: "POST",
  path: FAULTS,
  summary: "Makes matching requests to any server fail from now on; only the newest matching fault applies.",
  body: faultBody,
  checks: anyRequest.row(bodyAccepted(faultBody)),
  responses: [faultAdded],
  handle: async ({ given, services }) => ok(faultAdded, await services.faults.create(given)),
});

export const deleteFault = operation({
  name: "manager.deleteFault",
  method: "DELETE",
  path: `${FAULTS}/{fault_id}`,
  summary: "Removes a fault.",
  checks: anyRequest,
  responses: [noContent, unknownToDelete],
  handle: async ({ params: { fault_id = "" }, services }) =>
    (await services.faults.delete(fault_id))
      ? ok(noContent)
      : refuseUnknown(`there is no fault with the id ${show(fault_id)}`, unknownToDelete),
});
