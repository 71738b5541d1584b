import type { Profile } from "../emulator/profiles.ts";

/** A creation of a dataset, and the messages with which it is refused; none when it is accepted. */
export interface DatasetCase {
  readonly what: string;
  readonly body: unknown;
  readonly found: readonly string[] | ((profile: Profile) => readonly string[]);
  readonly isAdvanced?: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A model that both families and both profiles accept. */
export const model = (changes: Fields = {}): Fields => ({
  name: "engine",
  cadDataUrl: "https://cad.example/engine.glb",
  views: [],
  ...changes,
});
/** A creation of a dataset with these models, or with one that is accepted. */
export const dataset = (...models: readonly unknown[]): Fields => ({
  name: "verify",
  targetSdk: "10.9",
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

export const refused = (what: string, body: unknown, ...found: readonly string[]): DatasetCase => ({
  what,
  body,
  found,
});
export const accepted = (what: string, body: unknown): DatasetCase => refused(what, body);
export const byProfile = (
  what: string,
  body: unknown,
  found: (profile: Profile) => readonly string[],
): DatasetCase => ({ what, body, found });
export const advanced = (...cases: readonly DatasetCase[]): readonly DatasetCase[] =>
  cases.map((one) => ({ ...one, isAdvanced: true }));
