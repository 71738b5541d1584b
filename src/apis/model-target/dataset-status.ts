import { type Dataset, type DatasetFamily, datasetStatusAt } from "../../domain/dataset.ts";
import { endpoint } from "../../http/endpoint.ts";
import { modelTargetJson } from "../../responses/model-target.ts";
import { datasetChecks } from "./dataset-checks.ts";
import { datasetPath } from "./family-paths.ts";

/** `GET /modeltargets/…/{uuid}/status`: how far the training is. Protocol section 9. */
export const datasetStatus = (family: DatasetFamily) =>
  endpoint("datasetStatus", "GET", `${datasetPath(family)}/status`, datasetChecks(family), (context) => {
    const { dataset, now } = context;
    const status = datasetStatusAt(dataset, now);
    const finish = isoTime(dataset.createdAt + dataset.processingTimeSeconds * 1000);
    return modelTargetJson(200, {
      status,
      uuid: dataset.uuid,
      createdAt: isoTime(dataset.createdAt),
      ...(status === "processing" ? { eta: finish } : { completedAt: finish }),
      ...outcomeOf(dataset, status),
    });
  });

function outcomeOf({ uuid, failureMessage, warning }: Dataset, status: string) {
  if (status === "failed") return { error: { code: "ERROR", message: failureMessage } };
  if (status !== "done" || warning === null) return {};
  const { message, details } = warning;
  return { warning: { code: "WARNING", message, target: uuid, details } };
}

/** The last moment that a `Date` can hold: processing times without end come to this. */
const END_OF_TIME = 8.64e15;

const isoTime = (milliseconds: number): string => new Date(Math.min(milliseconds, END_OF_TIME)).toISOString();
