import type { Profile } from "../emulator/profiles.ts";
import { asciiJson } from "../emulator/text.ts";
import type { Expected, Situation } from "./fact.ts";
import { type Draft, draftOf, routeOf, written } from "./requests.ts";
import type { Kind } from "./row.ts";

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
