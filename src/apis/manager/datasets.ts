import { operation } from "../../core/operation.ts";
import { ok } from "../../core/response.ts";
import { show } from "../../core/text.ts";
import { type Dataset, datasetJson, postedDataset } from "../../schema/dataset.ts";
import { anyRequest, bodyAccepted } from "./checks.ts";
import { added, done, emptied, refuseUnknown, unknownToDelete } from "./responses.ts";

export const listDatasets = operation({
  name: "manager.listDatasets",
  method: "GET",
  path: "/model_target_datasets",
  summary: "Lists the Model Target datasets.",
  checks: anyRequest,
  responses: [done],
  handle: async (call) => ok(done, (await call.services.store.listDatasets()).map(datasetJson.write)),
});

export const addDataset = operation({
  name: "manager.addDataset",
  method: "POST",
  path: "/model_target_datasets",
  summary: "Adds a Model Target dataset, or replaces the one with its uuid.",
  checks: anyRequest.row(bodyAccepted(postedDataset.schema)),
  responses: [added],
  handle: async (call) => {
    const { given, services, random, now } = call;
    const dataset: Dataset = {
      ...given,
      processingTimeSeconds: given.processingTimeSeconds ?? services.settings.processingTimeSeconds,
      uuid: given.uuid ?? random.hex(32),
      createdAt: given.createdAt ?? now,
      processed: false,
    };
    await services.store.createDataset(dataset);
    return ok(added, datasetJson.write(dataset));
  },
});

export const deleteDataset = operation({
  name: "manager.deleteDataset",
  method: "DELETE",
  path: "/model_target_datasets/{uuid}",
  summary: "Deletes a Model Target dataset.",
  checks: anyRequest,
  responses: [emptied, unknownToDelete],
  handle: async (call) => {
    const { uuid = "" } = call.params;
    const deleted = await call.services.store.deleteDataset(uuid);
    return deleted
      ? ok(emptied)
      : refuseUnknown(`there is no dataset with the uuid ${show(uuid)}`, unknownToDelete);
  },
});
