import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { show } from "../../emulator/text.ts";
import { datasetJson, newDataset, postedDataset } from "../../schema/dataset.ts";
import { anyRequest, bodyAccepted, jsonBody } from "./checks.ts";
import { addedWith, doneWithAll, noBody, refuseUnknown, unknownToDelete } from "./responses.ts";

const DATASETS = "/model_target_datasets";
const datasets = doneWithAll(datasetJson);

export const listDatasets = operation({
  name: "manager.listDatasets",
  method: "GET",
  path: DATASETS,
  summary: "Lists the Model Target datasets.",
  checks: anyRequest,
  responses: [datasets],
  handle: async ({ services: { store } }) => ok(datasets, await store.listDatasets()),
});

const datasetBody = jsonBody(postedDataset.schema);
const datasetAdded = addedWith(datasetJson);

export const addDataset = operation({
  name: "manager.addDataset",
  method: "POST",
  path: DATASETS,
  summary: "Adds a Model Target dataset, or replaces the one with its uuid.",
  body: datasetBody,
  checks: anyRequest.row(bodyAccepted(datasetBody)),
  responses: [datasetAdded],
  handle: async ({ given, services: { store, settings }, random, now }) => {
    const dataset = newDataset(given, settings, () => random.hex(32), now);
    await store.createDataset(dataset);
    return ok(datasetAdded, dataset);
  },
});

export const deleteDataset = operation({
  name: "manager.deleteDataset",
  method: "DELETE",
  path: `${DATASETS}/{uuid}`,
  summary: "Deletes a Model Target dataset.",
  checks: anyRequest,
  responses: [noBody, unknownToDelete],
  handle: async ({ params: { uuid = "" }, services: { store } }) =>
    (await store.deleteDataset(uuid))
      ? ok(noBody)
      : refuseUnknown(`there is no dataset with the uuid ${show(uuid)}`, unknownToDelete),
});
