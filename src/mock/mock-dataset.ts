import {
  type Dataset,
  type DatasetStatus,
  type DatasetTypeName,
  datasetStatusAt,
} from "../schema/dataset.ts";

/** A Model Target dataset at the moment when it was read. */
export interface MockDataset {
  /** Id in the API. */
  readonly uuid: string;
  /** Family of endpoints that serve it. */
  readonly datasetTypeName: DatasetTypeName;
  /** Processing status. */
  readonly status: DatasetStatus;
  /** When it was created. */
  readonly createdAt: Date;
}

export const mockDataset = (dataset: Dataset, now: number): MockDataset => ({
  uuid: dataset.uuid,
  datasetTypeName: dataset.datasetTypeName,
  status: datasetStatusAt(dataset, now),
  createdAt: new Date(dataset.createdAt),
});
