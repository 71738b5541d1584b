import type { Profile } from "../emulator/profiles.ts";
import { asciiJson } from "../emulator/text.ts";
import { type Expected, type Fact, observed, type Situation, slug } from "./fact.ts";
import { present } from "./requests.ts";

export const STANDARD = "/modeltargets/datasets";
export const ADVANCED = "/modeltargets/advancedDatasets";
export const CREDENTIALS = "/oauth2/clientcredentials";

/** Errors and successes have these two headers and nothing else. */
export const answered = (status: number, content: unknown, contentType = "application/json"): Expected => ({
  status,
  headers: [["Content-Type", contentType]],
  body: typeof content === "string" ? content : asciiJson(content),
});

/** A success without a body. */
export const empty = (status: number): Expected => ({ status, headers: [], body: "" });

type Body = string | Buffer | undefined;

interface Rest extends Omit<Partial<Fact>, "id" | "api" | "sentence" | "request" | "expected"> {
  readonly method?: string;
  readonly path: string | ((at: Situation) => string);
  readonly headers?: (at: Situation) => Readonly<Record<string, string | undefined>>;
  readonly body?: Body | ((at: Situation) => Body);
  readonly contentLength?: string;
  readonly expected: Expected | Fact["expected"];
}

/** A fact of the Model Target API; observed, and only reading, unless it says otherwise. */
export const jsonFact = (id: string, sentence: string, rest: Rest): Fact => {
  const { method = "GET", path, headers, body, contentLength, expected, ...more } = rest;
  return {
    id: slug(`model target ${id}`),
    api: "model-target",
    sentence,
    known: observed,
    needs: "reading",
    ...more,
    request: (at) => {
      const content = typeof body === "function" ? body(at) : body;
      return {
        method,
        path: typeof path === "function" ? path(at) : path,
        headers: present(headers?.(at) ?? {}),
        body: content === undefined ? undefined : Buffer.from(content),
        contentLength,
      };
    },
    expected: typeof expected === "function" ? expected : () => expected,
  };
};

export const bearer = ({ token }: Situation) => ({ Authorization: `Bearer ${token}` });
export const jsonBearer = (at: Situation) => ({ ...bearer(at), "Content-Type": "application/json" });

/** A validation error with these messages; they may contain placeholders. */
export const validationError = (messages: readonly string[]): Expected =>
  answered(
    400,
    `{"error":{"code":"BAD_REQUEST","message":"Validation error for request <same>","target":"<same>","details":${asciiJson(
      messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
    )}}}`,
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

/** What a body that is not an object is refused with: everything is missing. */
export const ALL_MISSING = ["/models", "/name", "/targetSdk"].map((path) => `${path}: element is required`);

export const notFound = (message: string, target: string): Expected =>
  answered(404, { error: { code: "NOT_FOUND", message, target } });
