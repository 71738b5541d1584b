import type { ProfileName } from "mock-cloud-reco";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, describeApi } from "./api.ts";
import { creation, dataset, model, STANDARD, validationMessages } from "./requests.ts";

/** The messages with which a creation is refused; none when it is accepted. */
export async function messages(api: Api, body: unknown, path: string): Promise<string[]> {
  const received = await api.send(creation(body, { path }));
  if (received.status === 201) return [];
  const refused = await api.latest();
  expect(refused).toMatchObject({ refusedBy: "validRequest", reason: expect.stringMatching(/\w+ \w+/) });
  return validationMessages(received);
}

export const required = (path: string): string => `${path}: element is required`;
export const expected = (path: string, type: string): string => `${path}: error.expected.${type}`;

export const configured = (...states: string[]): Record<string, unknown> => ({
  stateBasedConfigurationJsonString: JSON.stringify({
    states: Object.fromEntries(states.map((state) => [state, {}])),
  }),
});
export const position = { rotation: [0, 0, 0, 1], translation: [0, 1.5, -2e3] };
export const view = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "front",
  guideViewPosition: position,
  ...changes,
});
export const withViews = (...views: unknown[]): Record<string, unknown> => dataset(model({ views }));

/** The findings may depend on the profile. */
export type Case = [name: string, body: unknown, found: string[] | ((profile: ProfileName) => string[])];
export const BOTH: ProfileName[] = ["neutral", "vuforia"];

export function table(title: string, cases: Case[], path = STANDARD, under: ProfileName[] = BOTH): void {
  describeApi(title, (openApi) => {
    describe.each(under)("%s", (profile) => {
      let api: Api;
      beforeAll(async () => {
        api = await openApi({ profile });
      });
      afterAll(() => api[Symbol.asyncDispose]());

      it.each(cases)("%s", async (_name, body, found) => {
        expect(await messages(api, body, path)).toEqual(typeof found === "function" ? found(profile) : found);
      });
    });
  });
}

/** The message for a model with no source or several; the profile decides which fields are sources. */
const sources = {
  neutral: "`cadDataBlob`, `cadDataUrl`",
  vuforia: "`cadDataBlob`, `cadDataUrl`, `cadDataUuid`",
};
export const oneOf = (profile: ProfileName) => `One of ${sources[profile]} need to be provided`;
export const onlyOneOf = (profile: ProfileName) => `Only one of ${sources[profile]} need to be provided`;
export const NO_CONFIGURATION = `${required("/models(0)/stateBasedConfigurationJsonString")} when view states are given`;
export const undeclared = (name: string): string =>
  `states in entrypoint ${name}' must be a subset of all states`;
export const invalidWhen = (field: string, value: string): string =>
  `invalid ${field}. Should be one of 'never', 'always', 'auto'. You provided '${value}'`;
export const BAD_TRACKING = "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller";
export const BAD_APPEARANCE = '`realisticAppearance` must be one of "true", "false", "auto".` ';
export const ONE_MODEL = "exactly one model should be provided";
export const NO_MODELS = "models must contain at least one entry";
export const TOO_MANY_MODELS = "total number of models must be maximum 20";
export const NAMES_TWICE = "names of models must be unique within a Target.";
