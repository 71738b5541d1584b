import { type DatasetFamily, datasetStatusAt } from "../../domain/dataset.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../http/guard.ts";
import { serviceError } from "../../responses/model-target.ts";
import { datasetArchive } from "./dataset-archive.ts";
import { datasetChecks } from "./dataset-checks.ts";
import { datasetPath } from "./family-paths.ts";

/** `GET /modeltargets/…/{uuid}/dataset`: the finished dataset as a zip. Protocol section 9. */
export const downloadDataset = (family: DatasetFamily) =>
  endpoint(
    "downloadDataset",
    "GET",
    `${datasetPath(family)}/dataset`,
    datasetChecks(family),
    async ({ dataset, now }) => {
      const { uuid } = dataset;
      const status = datasetStatusAt(dataset, now);
      if (status !== "done") {
        const named = status === "failed" ? "failed" : "not-started";
        const message = `Training status for dataset ${uuid} is ${named} != done`;
        return refuse(
          serviceError(422, { code: "UNSUPPORTED_STATE", message, target: uuid }),
          `the dataset ${uuid} is ${status}; only a dataset that is done can be downloaded`,
        );
      }
      const body = await datasetArchive(dataset);
      return {
        status: 200,
        headers: [
          ["Content-Type", "application/zip"],
          ["Content-Disposition", "attachment; filename=full-dataset.zip"],
          ["Content-Length", String(body.length)],
        ],
        body,
      };
    },
  );
