import { oauthCauses } from "./oauth.ts";
import { type Join, refusal, remark } from "./row.ts";

const AS_RETURNED = "send the bearer token as POST /oauth2/token returned it";

const TOKENS = {
  parts: "",
  header: `${AS_RETURNED}: its first part must be a JSON object in unpadded base64url`,
  algorithm: `${AS_RETURNED}: the JSON object in its first part must name its algorithm as alg`,
  unsigned: `${AS_RETURNED}: its alg is none, but it must be signed`,
  payload: `${AS_RETURNED}: its second part must be a JSON object in unpadded base64url`,
  noSignature: `${AS_RETURNED}: its third part is empty`,
  signature: `${AS_RETURNED}: its third part must be unpadded base64url`,
  quoted: "remove the quotation marks around the bearer token",
  json: "send only the access_token, without the rest of the response of POST /oauth2/token",
  twice: "write Bearer once: the token begins with it again",
} as const;

export type TokenProblem = keyof typeof TOKENS;

const TYPES = { jsstring: "a string", jsarray: "an array", jsobject: "an object", jsnumber: "a number" };
export type TypeName = keyof typeof TYPES;

/** Further findings are counted. */
const counted: Join = (sentences, { more }) =>
  sentences.join("; ") + (typeof more === "number" && more > 0 ? `; and ${more} more` : "");

type FieldPath = {
  /** The field, such as `/models(0)/name`. */
  readonly path: string;
  /** How many further problems are not named. */
  readonly more?: number | undefined;
};

const finding = <Facts extends object = object>(
  happened: string,
  sentence: (facts: Facts & FieldPath) => string,
  change: string,
  example: string,
) => refusal<Facts & FieldPath>(happened, sentence, change, example, counted);

const UNSET_ID = "await the call that returns the id, and check the variable that holds it";

const DATASET = "POST /modeltargets/datasets";

/** OAuth 2.0 and Model Targets. */
export const modelTargetCauses = {
  ...oauthCauses,
  "token.malformed": refusal<{ readonly problem: TokenProblem; readonly token?: string }>(
    "The bearer token is malformed.",
    ({ problem, token }) =>
      problem === "parts"
        ? `send the access_token of POST /oauth2/token: the bearer token is ${token}; expected three parts with dots between them`
        : TOKENS[problem],
    "Send the access_token of POST /oauth2/token as it was returned.",
    `${DATASET}\nAuthorization: Bearer undefined`,
  ),
  "scope.missing": refusal<{
    readonly given: string;
    readonly accepted: string;
    /** Whether a state-based model needs it, rather than the route. */
    readonly isForStates?: boolean;
  }>(
    "The token lacks the scope that the request needs.",
    ({ given, accepted, isForStates }) =>
      `ask for a token with the scope ${accepted}, which ${isForStates === true ? "a model with stateBasedConfigurationJsonString" : "this route"} needs: the token's scope is ${given}`,
    "Ask for a token with the scope, of a client that holds it.",
    `${DATASET} with a token of the scope oauth2.clientcredentials.all`,
  ),
  "grant.unknown": refusal<{ readonly given: string }>(
    "The grant type is unknown.",
    ({ given }) => `send client_credentials (the default) or password as grant_type: got ${given}`,
    "Send client_credentials or password as grant_type.",
    "POST /oauth2/token\n\ngrant_type=refresh_token",
  ),
  "form.too-large": refusal<{ readonly bytes: number; readonly most: number }>(
    "The form is too large.",
    ({ bytes, most }) => `send a smaller form: it has ${bytes} bytes; expected at most ${most}`,
    "Send only the fields that a token needs.",
    "POST /oauth2/token with a form of more than 256 KiB",
  ),
  "user.missing": refusal(
    "The user name or the password is missing.",
    () => "send the form fields username and password: the password grant needs them",
    "Send the fields username and password.",
    "POST /oauth2/token\n\ngrant_type=password",
  ),
  "user.password": refusal<{ readonly user: string }>(
    "The password is wrong.",
    ({ user }) => `correct the password: it is wrong for the user ${user}`,
    "Send the password of the configured user.",
    "POST /oauth2/token with another password",
  ),
  "user.unknown": refusal<{ readonly given: string }>(
    "The user is unknown.",
    ({ given }) => `send the name of the configured user: no user has the name ${given}`,
    "Send the name of the configured user.",
    "POST /oauth2/token\n\ngrant_type=password&username=nobody&password=x",
  ),
  "scope.lacking": refusal<{
    readonly lacking: string;
    readonly held: string;
    /** Whether they are joined by something else than spaces. */
    readonly areJoined?: boolean;
  }>(
    "The client or user does not hold a scope that was asked for.",
    ({ lacking, held, areJoined }) =>
      areJoined === true
        ? `separate the scopes with spaces, not commas: scope names ${lacking}`
        : `ask only for scopes that the client or user has: scope names ${lacking}, which it lacks; it has ${held}`,
    "Ask only for scopes that the client holds.",
    "POST /oauth2/token\n\nscope=unknown",
  ),
  "scopes.body": refusal<{ readonly given: string }>(
    "The body is not a JSON object with scopes.",
    ({ given }) => `send a JSON object with scopes: got ${given}`,
    "Send a JSON object with scopes.",
    "POST /oauth2/clientcredentials\n\n[]",
  ),
  "scopes.type": refusal<{ readonly given?: string }>(
    "The scopes are no array of strings.",
    ({ given }) =>
      given === undefined
        ? "send a JSON array of strings as the body"
        : `send scopes as an array of strings: got ${given}`,
    "Send the scopes as a JSON array of strings.",
    'POST /oauth2/clientcredentials\n\n{"scopes": "all"}',
  ),
  "credential.unknown": refusal<{ readonly id: string; readonly isUnset?: boolean }>(
    "The client credential does not exist.",
    ({ id, isUnset }) =>
      `${isUnset === true ? UNSET_ID : "use an id that GET /oauth2/clientcredentials lists"}: no client credential has the id ${id}`,
    "Use the id of a credential that exists.",
    "DELETE /oauth2/clientcredentials/unknown",
  ),
  "quota.credentials": refusal<{ readonly most: number }>(
    "As many client credentials exist as are allowed.",
    ({ most }) => `delete a client credential first: ${most} exist, and the service accepts no more`,
    "Delete a client credential first.",
    "POST /oauth2/clientcredentials, after as many were created as are allowed",
  ),
  "dataset.missing": finding(
    "The dataset lacks a required field.",
    ({ path }) => `add ${path}: it is missing`,
    "Add the field.",
    `${DATASET}\n\n{}`,
  ),
  "dataset.type": finding<{ readonly type: TypeName; readonly given: string }>(
    "A field of the dataset has another type.",
    ({ path, type, given }) => `send ${path} as ${TYPES[type]}: got ${given}`,
    "Send a value of the type that is named.",
    `${DATASET}\n\n{ …, "name": 5 }`,
  ),
  "dataset.models": finding<{ readonly models: number; readonly expected: string }>(
    "The dataset has too many models, or none.",
    ({ models, expected }) => `send another number of models: got ${models}; expected ${expected}`,
    "Send one model to /modeltargets/datasets, or up to 20 to /modeltargets/advancedDatasets.",
    `${DATASET}\n\n{ …, "models": [] }`,
  ),
  "dataset.names": finding<{ readonly models: number; readonly different: number }>(
    "Two models of the dataset have one name.",
    ({ models, different }) =>
      `give each model a unique name: models has ${models} entries with ${different} different names`,
    "Give each model a name of its own.",
    "POST /modeltargets/advancedDatasets with two models of one name",
  ),
  "dataset.source": finding<{ readonly sources: string; readonly given: string }>(
    "A model has no source of its CAD data, or several.",
    ({ path, sources, given }) => `give ${path} exactly one of ${sources}: got ${given}`,
    "Give each model exactly one source of its CAD data.",
    `${DATASET} with a model that has no cadDataUrl`,
  ),
  "dataset.value": finding<{ readonly given: string; readonly accepted: string }>(
    "A field of a model has another value.",
    ({ path, given, accepted }) => `send one of ${accepted} as ${path}: got ${given}`,
    "Send one of the values that are named.",
    `${DATASET} with a model whose simplify is "sometimes"`,
  ),
  "dataset.unsupported": finding(
    "A model has a field that is no longer supported.",
    ({ path }) => `remove ${path}, or use optimizeTrackingFor: this profile does not support it`,
    "Remove the field, or use optimizeTrackingFor.",
    `${DATASET} with a model that has a motionHint, under a profile whose engines do not support it`,
  ),
  "dataset.configuration": finding(
    "The configuration of a model's states is not JSON.",
    ({ path }) => `send the text of a JSON object as ${path}`,
    "Send the configuration of the states as the text of a JSON object.",
    `${DATASET} with a model whose stateBasedConfigurationJsonString is not JSON`,
  ),
  "dataset.stateless": finding(
    "A view has states, but its model has no configuration of them.",
    ({ path }) => `add stateBasedConfigurationJsonString to the model: ${path} has states`,
    "Add stateBasedConfigurationJsonString to the model, or remove the states of its view.",
    `${DATASET} with a view that has states`,
  ),
  "dataset.states": finding<{ readonly state: string; readonly declared: string }>(
    "A view has a state that its model does not declare.",
    ({ path, state, declared }) =>
      `name only states that the model declares: ${path} has ${state}; the model declares ${declared}`,
    "Name only states that the model's configuration declares.",
    `${DATASET} with a view whose state the model does not declare`,
  ),
  "dataset.unknown": refusal<{ readonly uuid: string; readonly isUnset?: boolean }>(
    "The dataset does not exist.",
    ({ uuid, isUnset }) =>
      isUnset === true
        ? `${UNSET_ID}: no dataset has the uuid ${uuid}`
        : `send the uuid that creating the dataset returned: no dataset has the uuid ${uuid}; it was never created or was deleted`,
    "Use the uuid that creating the dataset returned, before it is deleted.",
    "GET /modeltargets/datasets/unknown/status",
  ),
  "dataset.cad-data": remark<{ readonly path: string; readonly given: string; readonly isDataUri: boolean }>(
    "A model's cadDataUrl is no http or https URL, or its cadDataBlob is a data URI.",
    ({ path, given, isDataUri }) =>
      (isDataUri
        ? `send only what follows the comma of the data URI as ${path}`
        : `send an http or https URL as ${path}, or the file's base64 as cadDataBlob`) +
      `: got ${given}; the mock accepts it, because nobody has observed what the service does`,
    "Send a URL that the service can download, or the base64 of the file.",
    `${DATASET} with a model whose cadDataUrl is ./model.glb`,
  ),
  "dataset.training": remark<{ readonly uuid: string; readonly status: string }>(
    "The dataset is not done yet.",
    ({ uuid, status }) =>
      `ask again later, or advance the clock: the dataset ${uuid} is ${status}; only a dataset that is done can be downloaded`,
    "Ask again later: in a test, advance the clock or call `finishProcessing()`.",
    "GET /modeltargets/datasets/{uuid}/dataset, right after it was created",
  ),
  "dataset.failed": refusal<{ readonly uuid: string; readonly status: string }>(
    "The dataset's training failed.",
    ({ uuid, status }) => `download only datasets that are done: the dataset ${uuid} is ${status}`,
    "Download only datasets whose status is done.",
    "GET /modeltargets/datasets/{uuid}/dataset of a dataset that failed",
  ),
  "quota.trainings": refusal(
    "The training allowance is exceeded.",
    () => "remove the option modelTargetTrainingAllowanceExceeded: it lets the service refuse each training",
    "Remove the option modelTargetTrainingAllowanceExceeded.",
    `${DATASET} of a mock with modelTargetTrainingAllowanceExceeded`,
  ),
};
