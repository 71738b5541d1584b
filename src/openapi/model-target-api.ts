import type { Profile } from "../profiles.ts";
import {
  constant,
  described,
  type JsonSchema,
  listOf,
  object,
  oneOf,
  openObject,
  someText,
  text,
} from "./schema.ts";
import type { ApiDescription, Description, Refusals, Variant } from "./variant.ts";

const LENGTH = ["Content-Length"];

/** Section 9 of the protocol. */
export function modelTargetApi(profile: Profile): ApiDescription {
  return {
    title: "OAuth 2.0 and Model Targets",
    operations: operations(profile),
    refusals: refusals(profile),
    security: (operation) => (operation === "token" ? "oauthClient" : "bearer"),
  };
}

const scopes = listOf(text);
const moment: JsonSchema = { type: "string", format: "date-time" };
const uuid: JsonSchema = { type: "string", pattern: "^[A-Za-z0-9-]+$" };
const credential = object({ clientId: text, scopes });
const openDetails = listOf(openObject({}));

const json = (status: number, description: string, schema: JsonSchema): Variant => ({
  status,
  description,
  headers: LENGTH,
  contentType: "application/json",
  schema,
});
const empty = (status: number): Variant => ({ status, description: "Done (empty body).", headers: LENGTH });

/** `{"error":{…}}` with one of these codes. */
const failure = (status: number, description: string, ...codes: readonly string[]): Variant =>
  json(
    status,
    description,
    object({
      error: object(
        { code: oneOf(codes), message: text },
        { target: text, details: listOf(object({ code: constant("VALIDATION_ERROR"), message: text })) },
      ),
    }),
  );
const tokenFailure = (status: number, description: string, ...codes: readonly string[]): Variant =>
  json(status, description, object({ error: oneOf(codes) }, { error_description: text }));

const unknownDataset = failure(404, "No dataset has that uuid.", "NOT_FOUND");
const unknownCredential = failure(404, "No client credential has that id.", "NOT_FOUND");
const validationError = failure(400, "The request is not valid; the details say why.", "BAD_REQUEST");

function operations(profile: Profile): Readonly<Record<string, Description>> {
  return {
    token: {
      summary: "Gives a bearer token, to a client or to a user.",
      body: {
        contentType: "application/x-www-form-urlencoded",
        schema: openObject(
          {},
          {
            grant_type: { enum: ["client_credentials", "password"], default: "client_credentials" },
            username: text,
            password: text,
            scope: described(text, "Separated by spaces; absent: all that the credential holds."),
          },
        ),
      },
      responses: [
        json(
          200,
          "A token.",
          object({
            access_token: described(text, "A JSON Web Token."),
            token_type: constant("bearer"),
            expires_in: described({ type: "integer", const: 3600 }, "In seconds."),
          }),
        ),
      ],
    },
    createCredential: {
      summary: "Makes a client with scopes of its own.",
      body: { contentType: "application/json", schema: openObject({ scopes }) },
      responses: [
        json(
          201,
          "The client, whose secret is shown once.",
          object({ client_id: text, client_secret: text }),
        ),
        failure(409, "100 client credentials exist already.", "CONFLICT"),
      ],
    },
    listCredentials: {
      summary: "Lists the created clients, without their secrets.",
      responses: [json(200, "The clients.", listOf(credential))],
    },
    updateCredentialScopes: {
      summary: "Gives a client other scopes.",
      body: { contentType: "application/json", schema: scopes },
      responses: [json(200, "The client.", credential)],
    },
    deleteCredential: { summary: "Deletes a client.", responses: [empty(204)] },
    createDataset: {
      summary: "Starts the training of a Model Target dataset.",
      body: { contentType: "application/json", schema: datasetRequest(profile) },
      responses: [json(201, "The training was started.", object({ uuid }))],
    },
    datasetStatus: {
      summary: "Says how far the training of a dataset is.",
      responses: [
        json(
          200,
          "The status.",
          object(
            { status: oneOf(["processing", "done", "failed"]), uuid, createdAt: moment },
            {
              eta: moment,
              completedAt: moment,
              error: object({ code: constant("ERROR"), message: text }),
              warning: object({
                code: constant("WARNING"),
                message: text,
                target: uuid,
                details: openDetails,
              }),
            },
          ),
        ),
      ],
    },
    downloadDataset: {
      summary: "Downloads a dataset that is done.",
      responses: [
        {
          status: 200,
          description: "A zip of MTDataset.dat and MTDataset.xml.",
          headers: ["Content-Disposition", ...LENGTH],
          contentType: "application/zip",
        },
        failure(422, "The dataset is not done.", "UNSUPPORTED_STATE"),
      ],
    },
    deleteDataset: { summary: "Deletes a dataset.", responses: [empty(200)] },
  };
}

function datasetRequest({ datasetViewsRequired, cadDataFormats }: Profile): JsonSchema {
  const when = oneOf(["never", "always", "auto"]);
  const vector = listOf({ type: "number" });
  const view = openObject(
    { name: text },
    { guideViewPosition: openObject({ rotation: vector, translation: vector }), states: scopes },
  );
  const views = { views: listOf(view) };
  const model = openObject(
    { name: text, ...(datasetViewsRequired && views) },
    {
      ...views,
      cadDataUrl: described(text, "One of the three sources must be given."),
      cadDataBlob: text,
      cadDataUuid: text,
      cadDataFormat: cadDataFormats === null ? text : oneOf(cadDataFormats),
      automaticColoring: when,
      simplify: when,
      optimizeTrackingFor: oneOf(["default", "low_feature_objects", "ar_controller"]),
      realisticAppearance: oneOf(["auto", "false", "true"]),
      stateBasedConfigurationJsonString: described(text, "JSON as text."),
    },
  );
  return openObject({
    name: someText,
    targetSdk: text,
    models: { ...listOf(model), minItems: 1, maxItems: 20 },
  });
}

function refusals(profile: Profile): Refusals {
  const onEvery =
    (...variants: readonly Variant[]) =>
    () =>
      variants;
  const invalidJson =
    profile.invalidDatasetJson === "error" ? failure(400, "The body is no JSON.", "ERROR") : validationError;
  return {
    contentLengthIsInteger: onEvery({
      status: 400,
      description: "The Content-Length header is no integer.",
      headers: ["Server", "Connection", "Date", ...LENGTH],
      contentType: "text/html",
      schema: text,
    }),
    supportedGrantType: onEvery(tokenFailure(400, "The grant type is unknown.", "unsupported_grant_type")),
    knownHolder: onEvery(
      tokenFailure(400, "The user name or the password is missing.", "invalid_request"),
      tokenFailure(401, "Who asks is not known.", "invalid_request", "invalid_client", "invalid_grant"),
    ),
    scopesHeld: onEvery(tokenFailure(400, "A scope is asked for that is not held.", "invalid_scope")),
    bearerToken: onEvery(failure(401, "There is no bearer token, or it is malformed.", "401")),
    holdsScope: onEvery({
      status: 403,
      description: "The token lacks the scope.",
      headers: LENGTH,
      contentType: "text/plain",
      schema: constant("User does not have the required scopes to perform this action"),
    }),
    jsonContentType: onEvery(failure(415, "The content type is not JSON.", "ERROR")),
    validJson: onEvery(invalidJson),
    bodyIsJsonObject: onEvery(validationError),
    scopesGiven: onEvery(validationError),
    knownCredential: onEvery(unknownCredential),
    scopesValid: onEvery(failure(400, "The body is no array of strings.", "BAD_REQUEST")),
    mayUseStates: onEvery(failure(403, "The token lacks the scope for state-based models.", "ERROR")),
    validRequest: onEvery(validationError),
    allowanceLeft: onEvery(
      failure(422, "The training allowance is exceeded (if so configured).", "TRAINING_ALLOWANCE_EXCEEDED"),
    ),
    knownDataset: onEvery(unknownDataset),
  };
}
