import type { Dataset, DatasetFamily } from "../../domain/dataset.ts";
import { contentLengthIsInteger } from "../../guards/content-length.ts";
import { Checks, guard, type Refusal, refuse, step } from "../../http/guard.ts";
import { isJsonObject } from "../../http/request-body.ts";
import { show } from "../../http/show.ts";
import { serviceError, validationError } from "../../responses/model-target.ts";
import type { Call } from "../../services.ts";
import { type Bearer, bearerToken, holdsScope } from "./bearer.ts";
import { jsonContentType, validJson } from "./json-body.ts";
import { EVERYTHING, FAMILY_SCOPES } from "./scopes.ts";
import { reasonFor } from "./validation/finding.ts";
import { findingsIn } from "./validation/stages.ts";

/** Who this emulator's tokens belong to. */
export const USER = "userId:mock";

const mayUseStates = (family: DatasetFamily) =>
  guard<Call & Bearer>("mayUseStates", ({ body, scopes }) => {
    const { models } = body.fields;
    const usesStates =
      Array.isArray(models) &&
      models.some(
        (model) => isJsonObject(model) && Object.hasOwn(model, "stateBasedConfigurationJsonString"),
      );
    const accepted = [FAMILY_SCOPES[family].stateBased, EVERYTHING];
    if (!usesStates || scopes.some((scope) => accepted.includes(scope))) return undefined;
    return refuse(
      serviceError(403, {
        code: "ERROR",
        message: "User not allowed to create State Based Model Targets",
        target: USER,
      }),
      `the bearer token's scope is ${show(scopes.join(" "))}; a model with stateBasedConfigurationJsonString needs ${accepted.join(" or ")}`,
    );
  });

const validRequest = (family: DatasetFamily) =>
  guard<Call>("validRequest", ({ body, profile }) => {
    const findings = findingsIn(body.fields, family, profile);
    if (findings.length === 0) return undefined;
    return refuse(validationError(findings.map(({ message }) => message)), reasonFor(findings));
  });

const allowanceLeft = guard<Call>("allowanceLeft", ({ services: { settings } }) =>
  settings.modelTargetTrainingAllowanceExceeded
    ? refuse(
        serviceError(422, {
          code: "TRAINING_ALLOWANCE_EXCEEDED",
          message: "User has reached total number of allowed trainings",
          target: USER,
        }),
        "the training allowance is configured as exceeded (modelTargetTrainingAllowanceExceeded)",
      )
    : undefined,
);

export const unknownDataset = (uuid: string): Refusal =>
  refuse(
    serviceError(404, {
      code: "NOT_FOUND",
      message: `Could not find a model-view database with uuid ${uuid}`,
      target: USER,
    }),
    `no dataset has the uuid ${show(uuid)}; it was never created, or it was deleted`,
  );

const knownDataset = step<Call, { dataset: Dataset }>(
  "knownDataset",
  async ({ params: { uuid = "" }, services: { store } }) => {
    const dataset = await store.findDataset(uuid);
    return dataset === undefined ? unknownDataset(uuid) : { dataset };
  },
);

const familyChecks = (family: DatasetFamily) =>
  Checks.on<Call>()
    .checking(contentLengthIsInteger)
    .adding(bearerToken)
    .checking(holdsScope(FAMILY_SCOPES[family].datasets, EVERYTHING));

/** Creation: the order of protocol section 9. */
export const creationChecks = (family: DatasetFamily) =>
  familyChecks(family).checking(
    jsonContentType,
    validJson,
    mayUseStates(family),
    validRequest(family),
    allowanceLeft,
  );

/** Routes about the dataset that the path names, of whichever family. */
export const datasetChecks = (family: DatasetFamily) => familyChecks(family).adding(knownDataset);
