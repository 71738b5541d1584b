import { isJsonObject, type JsonObject, type ParsedJson, parseJson } from "../../general/json.ts";
import { bounded, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import {
  entriesOf,
  findingsOfField,
  inModels,
  inViews,
  isStateBased,
  type Model,
  missing,
  typed,
} from "./dataset-request.ts";

export const statesTypes = inViews((view) => findingsOfField(view, "states", "jsarray", false));

export const statesEntries = inViews((view) =>
  entriesOf(view, "states").flatMap((state, index) =>
    typed(`${view.path}/states(${index})`, "jsstring", state),
  ),
);

const configurationPath = ({ path }: Model): string => `${path}/stateBasedConfigurationJsonString`;

/** In bytes besides long strings. More than for bodies: model files fill configurations. */
export const MOST_CONFIGURATION = 2 ** 23;

/** By the fields of their model: two stages read each. */
const configurationsRead = new WeakMap<JsonObject, ParsedJson>();

/** The model's parsed configuration; undefined when it has none, or it is not valid JSON. */
function configurationOf({ fields }: Model): { readonly value: unknown } | undefined {
  const text = fields.stateBasedConfigurationJsonString;
  if (typeof text !== "string") return undefined;
  const parsed = configurationsRead.get(fields) ?? parseJson(text, MOST_CONFIGURATION);
  configurationsRead.set(fields, parsed);
  return parsed.error === undefined ? parsed : undefined;
}

/** Configurations are JSON and declare states: later stages rely on it. */
export const configurations = inModels((model) => {
  if (!isStateBased(model)) return [];
  const path = configurationPath(model);
  const configuration = configurationOf(model);
  return configuration === undefined
    ? [
        {
          message: `${path}: error.expected.validjson`,
          why: () => cause("dataset.configuration", { path }),
        },
      ]
    : typed(`${path}/states`, "jsobject", statesOf(configuration.value));
});

const statesOf = (configuration: unknown): unknown =>
  isJsonObject(configuration) ? configuration.states : undefined;

/** Views name only states that their model declares. */
export const declaredStates = inModels((model) => {
  const views = model.views.filter((view) => entriesOf(view, "states").length > 0);
  if (views.length === 0) return [];
  const declared = statesOf(configurationOf(model)?.value);
  if (!isJsonObject(declared)) {
    const message = `${missing(configurationPath(model)).message} when view states are given`;
    return views.map(({ path }) => ({
      message,
      why: () => cause("dataset.stateless", { path }),
    }));
  }
  const states = show(Object.keys(declared).join(", "));
  return views.flatMap((view) =>
    entriesOf(view, "states")
      .filter((state) => !Object.hasOwn(declared, String(state)))
      .map((state) => ({
        message: `states in entrypoint ${bounded(String(view.fields.name))}' must be a subset of all states`,
        why: () =>
          cause("dataset.states", {
            path: `${view.path}/states`,
            state: show(state),
            declared: states,
          }),
      })),
  );
});
