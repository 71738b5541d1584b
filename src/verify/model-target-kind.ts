import { type Profile, profiles, REAL_PROFILE } from "../emulator/profiles.ts";
import { asciiJson } from "../emulator/text.ts";
import type { Expected, Situation } from "./fact.ts";
import { body, type Draft, draftOf, rightDataset, rightModel, routeOf, written } from "./requests.ts";
import type { Kind, Row } from "./row.ts";

/** Errors and successes have these two headers and nothing else. */
export const answered = (status: number, content: unknown, contentType = "application/json"): Expected => ({
  status,
  headers: [["Content-Type", contentType]],
  body: typeof content === "string" ? content : asciiJson(content),
});

/** A success without a body. */
export const empty = (status: number): Expected => ({ status, headers: [], body: "" });

export const MODEL_TARGET: Kind<Draft> = {
  api: "model-target",
  about: routeOf,
  right: draftOf,
  written,
  needs: () => ({ needs: "reading" }),
  /** An error of the token route. */
  named: (answer) => {
    const [error, status] = answer.split(" ");
    return answered(Number(status), { error });
  },
  complete: (expected) => expected,
};

/** A validation error with these messages; they may contain placeholders. */
export const validationError = (messages: readonly string[]): Expected =>
  answered(
    400,
    `{"error":{"code":"BAD_REQUEST","message":"Validation error for request <same>","target":"<same>","details":${asciiJson(
      messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
    )}}}`,
  );

/** What a body that is not an object is refused with: everything is missing. */
export const ALL_MISSING = validationError(
  ["/models", "/name", "/targetSdk"].map((path) => `${path}: element is required`),
);

export const NOT_JSON = answered(415, {
  error: { code: "ERROR", message: "Expecting text/json or application/json body" },
});

/** How a body that is not JSON is answered. */
export const invalidJson = ({ profile }: { readonly profile: Profile }): Expected =>
  profile.invalidDatasetJson === "validation"
    ? validationError(["Invalid Json: <any>"])
    : answered(400, { error: { code: "ERROR", message: "Invalid Json: <any>" } });

/** Bodies that are not JSON. */
export const NO_JSON: readonly (readonly [what: string, body: string | Buffer])[] = [
  ["an empty body", ""],
  ["a cut-off body", '{"name":'],
  ["NaN in the body", '{"name":NaN}'],
  ["a byte-order mark", "\ufeff{}"],
  ["a body that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["a body of 101 levels", `${"[".repeat(101)}${"]".repeat(101)}`],
];

const notFound = (message: string, target: string): Expected =>
  answered(404, { error: { code: "NOT_FOUND", message, target } });
export const NO_CREDENTIAL = notFound("Clientcredential with ID=unknown not found", "clientcredential");
export const noDataset = (uuid: string): Expected =>
  notFound(`Could not find a model-view database with uuid ${uuid}`, "userId:<any>");
/** Of a dataset that the fact added. */
export const datasetGone = ({ given }: Situation): Expected => noDataset(given("uuid"));

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
