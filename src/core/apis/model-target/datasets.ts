import { CheckTable, check } from "../../emulator/check.ts";
import { addRemark } from "../../emulator/context.ts";
import {
  arraySchema,
  constantSchema,
  dateTimeSchema,
  enumSchema,
  hex32Schema,
  objectSchema,
  openObjectSchema,
  stringSchema,
} from "../../emulator/json-schemas.ts";
import { operation } from "../../emulator/operation.ts";
import { notYet, ok, type Refusal, refuse } from "../../emulator/response.ts";
import { isUnset, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import {
  type Dataset,
  type DatasetTypeName,
  datasetStatusAt,
  type TrainingOutcome,
} from "../../schema/model-target.ts";
import { MOST_MILLISECONDS } from "../../schema/zod/values.ts";
import * as changes from "../../store/changes.ts";
import * as reads from "../../store/reads.ts";
import { addDataset } from "../control.ts";
import type { ApiContext, ResolvedAnswerOptions } from "../services.ts";
import { contentLengthIsInteger } from "../signed/framing.ts";
import {
  type Bearer,
  bearerToken,
  creationLengthIsInteger,
  EVERYTHING,
  FAMILY_SCOPES,
  holdsScope,
  jsonContentType,
  validJson,
} from "./checks.ts";
import { causeOf, datasetRequestSchema, isStateBased, modelsIn } from "./dataset-request.ts";
import { findingsIn, remarkOnRequest } from "./dataset-validation.ts";
import { datasetArchive, emptyResponse, serviceError, success, validationError, zip } from "./responses.ts";

/** The user that every token of this emulator belongs to. */
const USER = "userId:mock";

const operations = ["createDataset"] as const;
const OF_ONE = ["datasetStatus", "downloadDataset", "deleteDataset"] as const;

const statesNotAllowed = serviceError(
  403,
  "ERROR",
  "The token lacks the scope for state-based models.",
  () => ({ message: "User not allowed to create State Based Model Targets", target: USER }),
);

const mayUseStates = (family: DatasetTypeName) =>
  check({
    name: "mayUseStates",
    operations,
    refusals: [statesNotAllowed],
    test: ({ body, scopes }: ApiContext & Bearer) => {
      const accepted = [FAMILY_SCOPES[family].stateBased, EVERYTHING];
      return (
        !modelsIn(body.fields).some(isStateBased) ||
        scopes.some((scope) => accepted.includes(scope)) ||
        cause("scope.missing", {
          given: show(scopes.join(" ")),
          accepted: accepted.join(" or "),
          isForStates: true,
        })
      );
    },
  });

/** Writing tens of thousands of details would take long. */
export const MOST_DETAILS = 1000;

const validRequest = (family: DatasetTypeName) =>
  check({
    name: "validRequest",
    operations,
    refusals: [validationError],
    test: ({ body, profile }: ApiContext) => {
      const [first, ...further] = findingsIn(body.fields, family, profile);
      if (first === undefined) return true;
      const findings = [first, ...further] as const;
      const details = findings.slice(0, MOST_DETAILS).map(({ message }) => message);
      return refuse(validationError, causeOf(findings), details);
    },
  });

const allowanceExceeded = serviceError(
  422,
  "TRAINING_ALLOWANCE_EXCEEDED",
  "The training allowance is configured as exceeded.",
  () => ({ message: "User has reached total number of allowed trainings", target: USER }),
);

const allowanceLeft = check({
  name: "allowanceLeft",
  operations,
  refusals: [allowanceExceeded],
  test: ({ services: { answerOptions } }: ApiContext) =>
    !answerOptions.modelTargetTrainingAllowanceExceeded || cause("quota.trainings"),
});

const unknownDataset = serviceError<string>(404, "NOT_FOUND", "No dataset has that uuid.", (uuid) => ({
  message: `Could not find a model-view database with uuid ${uuid}`,
  target: USER,
}));

const datasetUnknown = (uuid: string): Refusal =>
  refuse(
    unknownDataset,
    cause("dataset.unknown", { uuid: show(uuid), ...(isUnset(uuid) && { isUnset: true }) }),
    uuid,
  );

/** The path names a dataset of either family. Adds it to the context. */
const knownDataset = check({
  name: "knownDataset",
  operations: OF_ONE,
  refusals: [unknownDataset],
  testLater: async ({ params: { uuid = "" }, services }: ApiContext) => {
    const dataset = await services.store.read(reads.dataset(uuid));
    return dataset === undefined ? datasetUnknown(uuid) : { dataset };
  },
});

export const datasetTable = (family: DatasetTypeName) =>
  CheckTable.on<ApiContext, (typeof operations | typeof OF_ONE)[number]>()
    .and({ ...contentLengthIsInteger, operations: OF_ONE })
    .and({ ...creationLengthIsInteger, operations })
    .and(bearerToken)
    .and(holdsScope(FAMILY_SCOPES[family].datasets, EVERYTHING))
    .and(knownDataset)
    .and({ ...jsonContentType, operations })
    .and({ ...validJson, operations })
    .and(mayUseStates(family))
    .and(validRequest(family))
    .and(allowanceLeft);

const DEFAULT_FAILURE = "Model Target dataset generation failed";
const DEFAULT_WARNING = {
  message: "Warning after creating dataset",
  details: [
    {
      code: "LOW_RECOGNITION_QUALITY",
      message: "The processed model appears to have substandard recognition quality.",
    },
  ],
};

function configuredOutcome({
  modelTargetGenerationFailure: failure,
  modelTargetGenerationWarning: warning,
}: ResolvedAnswerOptions): TrainingOutcome {
  return {
    generationFailureMessage: failure === undefined ? null : (failure.message ?? DEFAULT_FAILURE),
    generationWarning: warning === undefined ? null : { ...DEFAULT_WARNING, ...warning },
  };
}

const started = success(201, "The training was started.", objectSchema({ uuid: hex32Schema }));

const status = success(
  200,
  "The status.",
  objectSchema(
    { status: enumSchema(["processing", "done", "failed"]), uuid: stringSchema, createdAt: dateTimeSchema },
    {
      eta: dateTimeSchema,
      completedAt: dateTimeSchema,
      error: objectSchema({ code: constantSchema("ERROR"), message: stringSchema }),
      warning: objectSchema({
        code: constantSchema("WARNING"),
        message: stringSchema,
        target: stringSchema,
        details: arraySchema(openObjectSchema({})),
      }),
    },
  ),
);

const notDone = serviceError<{ readonly uuid: string; readonly status: string }>(
  422,
  "UNSUPPORTED_STATE",
  "The dataset is not done.",
  ({ uuid, status: currentStatus }) => ({
    message: `Training status for dataset ${uuid} is ${currentStatus === "failed" ? "failed" : "not-started"} != done`,
    target: uuid,
  }),
);

const deleted = emptyResponse(200);

/** A `Date` can hold no later timestamp. */
const isoTime = (time: number): string => new Date(Math.min(time, MOST_MILLISECONDS)).toISOString();

function outcomeOf(
  { uuid, generationFailureMessage: failureMessage, generationWarning: warning }: Dataset,
  currentStatus: string,
) {
  if (currentStatus === "failed") return { error: { code: "ERROR", message: failureMessage } };
  if (currentStatus !== "done" || warning === null) return {};
  const { message, details } = warning;
  return { warning: { code: "WARNING", message, target: uuid, details } };
}

function statusOf(dataset: Dataset, now: number) {
  const currentStatus = datasetStatusAt(dataset, now);
  const completedAt = isoTime(dataset.createdAt + dataset.processingTimeSeconds * 1000);
  return {
    status: currentStatus,
    uuid: dataset.uuid,
    createdAt: isoTime(dataset.createdAt),
    ...(currentStatus === "processing" ? { eta: completedAt } : { completedAt }),
    ...outcomeOf(dataset, currentStatus),
  };
}

function refuseUndone(dataset: Dataset, now: number) {
  const currentStatus = datasetStatusAt(dataset, now);
  const details = { uuid: dataset.uuid, status: currentStatus };
  return currentStatus === "failed"
    ? refuse(notDone, cause("dataset.failed", details), details)
    : notYet(notDone, cause("dataset.training", details), details);
}

/** The operations of one family; a dataset of either family is visible through both. */
function datasetOperations(family: DatasetTypeName, path: string) {
  const authorized = { security: "bearer", checks: datasetTable(family) } as const;
  return [
    operation({
      name: "createDataset",
      method: "POST",
      path,
      summary: "Starts the training of a Model Target dataset.",
      ...authorized,
      body: {
        contentType: "application/json",
        schema: (profile) => datasetRequestSchema(family, profile),
      },
      responses: [started],
      handle: async ({ body, now, services, entry }) => {
        const remark = remarkOnRequest(body.fields);
        if (remark !== undefined) addRemark(entry, remark);
        const outcome = configuredOutcome(services.answerOptions);
        const given = { datasetTypeName: family, requestBody: body.fields, ...outcome };
        const { uuid } = await services.store.run(addDataset(services, given, now));
        return ok(started, { uuid });
      },
    }),
    operation({
      name: "datasetStatus",
      method: "GET",
      path: `${path}/{uuid}/status`,
      summary: "Returns the status of a dataset's training.",
      ...authorized,
      responses: [status],
      handle: async ({ dataset, now }) => ok(status, statusOf(dataset, now)),
    }),
    operation({
      name: "downloadDataset",
      method: "GET",
      path: `${path}/{uuid}/dataset`,
      summary: "Downloads a finished dataset.",
      ...authorized,
      responses: [zip, notDone],
      handle: async ({ dataset, now }) =>
        datasetStatusAt(dataset, now) === "done"
          ? ok(zip, await datasetArchive(dataset))
          : refuseUndone(dataset, now),
    }),
    operation({
      name: "deleteDataset",
      method: "DELETE",
      path: `${path}/{uuid}`,
      summary: "Deletes a dataset.",
      ...authorized,
      responses: [deleted, unknownDataset],
      handle: async ({ dataset, profile, services: { store } }) => {
        const deletes = dataset.datasetTypeName === family || profile.crossFamilyDeleteDeletes;
        if (deletes && !(await store.run(changes.deleteDataset(dataset.uuid))))
          return datasetUnknown(dataset.uuid);
        return ok(deleted);
      },
    }),
  ];
}

export const standardDatasets = datasetOperations("STANDARD", "/modeltargets/datasets");
export const advancedDatasets = datasetOperations("ADVANCED", "/modeltargets/advancedDatasets");
