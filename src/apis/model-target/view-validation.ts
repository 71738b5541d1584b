import { isJsonObject, type JsonObject, parseJson } from "../../emulator/json.ts";
import { show } from "../../emulator/text.ts";
import {
  type DatasetRequest,
  expected,
  type Finding,
  isGiven,
  isStateBased,
  type Model,
  missing,
  type Part,
} from "./dataset-request.ts";

/** Stage 7: fields of the views. */
export const views = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    model.views.flatMap((view) => [
      ...field(view, "guideViewPosition", isStateBased(model), "jsobject", isJsonObject),
      ...field(view, "name", true, "jsstring", (value) => typeof value === "string"),
    ]),
  );

/** Stage 8: the vectors of a view's position. */
export const viewPositions = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    model.views.flatMap((view) => ["rotation", "translation"].flatMap(vectorIn(view))),
  );

const vectorIn =
  ({ path, fields: { guideViewPosition } }: Part) =>
  (key: string): readonly Finding[] => {
    if (!isJsonObject(guideViewPosition)) return [];
    const position = { path: `${path}/guideViewPosition`, fields: guideViewPosition };
    const wrong = field(position, key, true, "jsarray", Array.isArray);
    const vector = guideViewPosition[key];
    if (wrong.length > 0 || !Array.isArray(vector)) return wrong;
    return vector.flatMap((value: unknown, index) =>
      typeof value === "number" ? [] : [expected(`${position.path}/${key}(${index})`, "jsnumber", value)],
    );
  };

function field(
  part: Part,
  key: string,
  required: boolean,
  type: "jsstring" | "jsobject" | "jsarray",
  fits: (value: unknown) => boolean,
): readonly Finding[] {
  const path = `${part.path}/${key}`;
  if (!isGiven(part, key)) return required ? [missing(path)] : [];
  const value = part.fields[key];
  return fits(value) ? [] : [expected(path, type, value)];
}

/** Stage 9a: a view's `states` is an array. */
export const statesTypes = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap(({ path, fields: { states } }) =>
    Array.isArray(states) ? [] : [expected(`${path}/states`, "jsarray", states)],
  );

/** Stage 9b: the array holds strings. */
export const statesEntries = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap((view) =>
    statesOf(view).flatMap((state, index) =>
      typeof state === "string" ? [] : [expected(`${view.path}/states(${index})`, "jsstring", state)],
    ),
  );

/** Stage 9c: configurations are JSON and declare states. */
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
    return viewsWithStates([model]).flatMap((view) => {
      if (declared !== undefined) return undeclaredIn(view, declared);
      return statesOf(view).length === 0 ? [] : [withoutConfiguration(model, view)];
    });
  });

const viewsWithStates = (models: readonly Model[]): readonly Part[] =>
  models.flatMap((model) => model.views.filter((view) => isGiven(view, "states")));

const statesOf = ({ fields: { states } }: Part): readonly unknown[] => (Array.isArray(states) ? states : []);

const configurationPath = ({ path }: Model): string => `${path}/stateBasedConfigurationJsonString`;

/** In characters. Of a longer one, only the beginning is read, which is not valid JSON. */
const LONGEST_CONFIGURATION = 2 ** 18;

/** Several stages need it. */
const parsedConfigurations = new WeakMap<Model, ReturnType<typeof parseJson>>();

/** The model's parsed configuration; undefined when it has none, or it is not valid JSON. */
function configurationOf(model: Model): { readonly value: unknown } | undefined {
  const text = model.fields.stateBasedConfigurationJsonString;
  if (typeof text !== "string") return undefined;
  const parsed = parsedConfigurations.get(model) ?? parseJson(text.slice(0, LONGEST_CONFIGURATION));
  parsedConfigurations.set(model, parsed);
  return parsed.error === undefined ? parsed : undefined;
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

function undeclaredIn(view: Part, declared: JsonObject): readonly Finding[] {
  const states = show(Object.keys(declared).join(", "));
  return statesOf(view)
    .filter((state) => typeof state !== "string" || !Object.hasOwn(declared, state))
    .map((state) => ({
      message: `states in entrypoint ${String(view.fields.name)}' must be a subset of all states`,
      get reason() {
        return `${view.path}/states has ${show(state)}; its model declares ${states}`;
      },
    }));
}
