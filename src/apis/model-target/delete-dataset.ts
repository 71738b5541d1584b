import type { DatasetFamily } from "../../domain/dataset.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReply } from "../../responses/model-target.ts";
import { datasetChecks, unknownDataset } from "./dataset-checks.ts";
import { datasetPath } from "./family-paths.ts";

/** `DELETE /modeltargets/…/{uuid}`: whether the other family's route deletes is up to the profile. Protocol section 9. */
export const deleteDataset = (family: DatasetFamily) =>
  endpoint(
    "deleteDataset",
    "DELETE",
    datasetPath(family),
    datasetChecks(family),
    async ({ dataset, profile, services: { store } }) => {
      const deletes = dataset.family === family || profile.crossFamilyDeleteDeletes;
      if (deletes && !(await store.deleteDataset(dataset.uuid))) return unknownDataset(dataset.uuid);
      return emptyReply(200);
    },
  );
