import type { DatasetFamily } from "../../domain/dataset.ts";

/** Where each family is created; a dataset of either is visible below both. */
export const FAMILY_PATHS: Readonly<Record<DatasetFamily, string>> = {
  STANDARD: "/modeltargets/datasets",
  ADVANCED: "/modeltargets/advancedDatasets",
};

/** The pattern of one dataset's path. */
export const datasetPath = (family: DatasetFamily): string => `${FAMILY_PATHS[family]}/{uuid:[A-Za-z0-9-]+}`;
