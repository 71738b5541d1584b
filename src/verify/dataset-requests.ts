import { type Profile, profiles, REAL_PROFILE } from "../emulator/profiles.ts";
import { answered, validationError } from "./model-target-kind.ts";
import { body, type Draft, rightDataset, rightModel } from "./requests.ts";
import type { Row } from "./row.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A model that both families and both profiles accept, changed. */
export const model = (changes: Fields = {}): Fields => ({ ...rightModel, ...changes });
/** A creation of a dataset with these models, or with one that is accepted. */
export const dataset = (...models: readonly unknown[]): Fields => ({
  ...rightDataset,
  models: models.length === 0 ? [model()] : models,
});
export const without = (record: Fields, key: string): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
export const withViews = (...views: readonly unknown[]): Fields => dataset(model({ views }));

export const required = (path: string): string => `${path}: element is required`;
export const expected = (path: string, type: string): string => `${path}: error.expected.${type}`;
/** The path of a model's field, and of a view's. */
export const ofModel = (name: string, model = 0): string => `/models(${model})/${name}`;
export const ofView = (name: string, view = 0): string => `/models(0)/views(${view})/${name}`;

export const CREATED = answered(201, '{"uuid":"<id>"}');

/** A creation, and the messages with which it is refused by profile; with none it is accepted, which costs a training. */
export function byProfile(
  what: string,
  content: unknown,
  found: (profile: Profile) => readonly string[],
): Row<Draft> {
  const isRefused = Object.values(profiles).every((profile) => found(profile).length > 0);
  return [
    "create dataset",
    what,
    ({ profile }) => {
      const messages = found(profile);
      return messages.length === 0 ? CREATED : validationError(messages);
    },
    body(JSON.stringify(content)),
    {
      needs: found(profiles[REAL_PROFILE]).length === 0 ? "spending" : "writing",
      ...(isRefused && { check: "validRequest" }),
    },
  ];
}
export const refused = (what: string, content: unknown, ...found: readonly string[]): Row<Draft> =>
  byProfile(what, content, () => found);
export const accepted = (what: string, content: unknown): Row<Draft> => refused(what, content);
export const advanced = (...rows: readonly Row<Draft>[]): readonly Row<Draft>[] =>
  rows.map(([, what, ...rest]) => ["create advanced dataset", `advanced ${what}`, ...rest]);
