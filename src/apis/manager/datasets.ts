import type { Dataset } from "../../domain/dataset.ts";
import { endpoint } from "../../http/endpoint.ts";
import { show } from "../../http/show.ts";
import { emptyReply, jsonReply } from "../../responses/plain.ts";
import { datasetResource, readDataset } from "./dataset-resource.ts";
import { anyRequest, bodyAccepted, unknown } from "./guards.ts";

/** `GET /model_target_datasets`. Protocol section 10. */
export const listDatasets = endpoint(
  "manager.listDatasets",
  "GET",
  "/model_target_datasets",
  anyRequest,
  async (call) => jsonReply(call, 200, (await call.services.store.listDatasets()).map(datasetResource)),
);

/** `POST /model_target_datasets`: adds a dataset, in the place of the one with its uuid if there is one. Protocol section 10. */
export const addDataset = endpoint(
  "manager.addDataset",
  "POST",
  "/model_target_datasets",
  anyRequest.adding(bodyAccepted(readDataset)),
  async (call) => {
    const { given, services, random, now } = call;
    const dataset: Dataset = {
      ...given,
      processingTimeSeconds: given.processingTimeSeconds ?? services.settings.processingTimeSeconds,
      uuid: given.uuid ?? random.hex(32),
      createdAt: given.createdAt ?? now,
      processed: false,
    };
    await services.store.createDataset(dataset);
    return jsonReply(call, 201, datasetResource(dataset));
  },
);

/** `DELETE /model_target_datasets/{uuid}`. Protocol section 10. */
export const deleteDataset = endpoint(
  "manager.deleteDataset",
  "DELETE",
  "/model_target_datasets/{uuid}",
  anyRequest,
  async (call) => {
    const { uuid = "" } = call.params;
    const deleted = await call.services.store.deleteDataset(uuid);
    return deleted ? emptyReply(call, 200) : unknown(`there is no dataset with the uuid ${show(uuid)}`);
  },
);
