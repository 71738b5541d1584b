import { isJsonObject } from "../../../http/request-body.ts";
import { type DatasetRequest, isGiven, isStateBased, type Part } from "./dataset-request.ts";
import { expected, type Finding, missing } from "./finding.ts";

/** Stage 7: the views' own fields. */
export const views = ({ models, profile }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) => {
    const positionRequired = profile.statefulViewsNeedPosition && isStateBased(model);
    return model.views.flatMap((view) => [
      ...field(view, "guideViewPosition", positionRequired, "jsobject", isJsonObject),
      ...field(view, "name", true, "jsstring", (value) => typeof value === "string"),
    ]);
  });

/** Stage 8: what a view's position is made of. */
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
