import { isJsonObject, type JsonObject } from "../../../http/request-body.ts";
import { show } from "../../../http/show.ts";
import { type DatasetRequest, isGiven, isStateBased, type Model, type Part } from "./dataset-request.ts";
import { expected, type Finding, missing } from "./finding.ts";

/** Stage 9a: a view's `states` is an array. */
export const statesTypes = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap(({ path, fields: { states } }) =>
    Array.isArray(states) ? [] : [expected(`${path}/states`, "jsarray", states)],
  );

/** Stage 9b: of strings. */
export const statesEntries = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap((view) =>
    statesOf(view).flatMap((state, index) =>
      typeof state === "string" ? [] : [expected(`${view.path}/states(${index})`, "jsstring", state)],
    ),
  );

/** Stage 9c: the configurations are JSON, and declare states. */
export const configurations = ({ models }: DatasetRequest): readonly Finding[] =>
  models.filter(isStateBased).flatMap((model) => {
    const path = configurationPath(model);
    const configuration = configurationOf(model);
    if (configuration === undefined) {
      return [
        { message: `${path}: error.expected.validjson`, reason: `${path} must be the text of a JSON object` },
      ];
    }
    const states = isJsonObject(configuration.value) ? configuration.value.states : undefined;
    return isJsonObject(states) ? [] : [expected(`${path}/states`, "jsobject", states)];
  });

/** Stage 9d: views name only states that their model declares. */
export const declaredStates = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) => {
    const declared = declaredBy(model);
    return viewsWithStates([model]).flatMap((view) =>
      declared === undefined ? [withoutConfiguration(model, view)] : undeclaredIn(view, declared),
    );
  });

const viewsWithStates = (models: readonly Model[]): readonly Part[] =>
  models.flatMap((model) => model.views.filter((view) => isGiven(view, "states")));

const statesOf = ({ fields: { states } }: Part): readonly unknown[] => (Array.isArray(states) ? states : []);

const configurationPath = ({ path }: Model): string => `${path}/stateBasedConfigurationJsonString`;

/** The model's configuration, parsed; undefined when there is none, or it is no JSON. */
function configurationOf({ fields }: Model): { readonly value: unknown } | undefined {
  const text = fields.stateBasedConfigurationJsonString;
  if (typeof text !== "string") return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function declaredBy(model: Model): JsonObject | undefined {
  const configuration = configurationOf(model)?.value;
  const states = isJsonObject(configuration) ? configuration.states : undefined;
  return isJsonObject(states) ? states : undefined;
}

function withoutConfiguration(model: Model, view: Part): Finding {
  const path = configurationPath(model);
  return {
    message: `${missing(path).message} when view states are given`,
    reason: `${view.path} has states, so its model needs stateBasedConfigurationJsonString`,
  };
}

const undeclaredIn = (view: Part, declared: JsonObject): readonly Finding[] =>
  statesOf(view)
    .filter((state) => typeof state !== "string" || !Object.hasOwn(declared, state))
    .map((state) => ({
      message: `states in entrypoint ${String(view.fields.name)}' must be a subset of all states`,
      reason: `${view.path}/states has ${show(state)}; its model declares ${show(Object.keys(declared).join(", "))}`,
    }));
