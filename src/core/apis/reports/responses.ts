import type { Context } from "../../emulator/context.ts";
import {
  constantSchema,
  type JsonSchema,
  type JsonSchemas,
  stringSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import type { Profile } from "../../emulator/profiles.ts";
import { type DeclaredResponse, dated } from "../../emulator/response.ts";
import { xmlText } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import { MOST_MILLISECONDS } from "../../schema/zod/values.ts";
import { resultCode, success, transaction } from "../signed/responses.ts";

/** The error documents of report downloads. */

const HOST_ID_BYTES = 56;

function errorDocument<Details>(
  status: number,
  description: string,
  elements: (context: Context, details: Details) => Readonly<Record<string, string>>,
): DeclaredResponse<Details> {
  return {
    status,
    description,
    headers: dated("application/xml"),
    schema: stringSchema,
    body: (context, details) => {
      const { random } = context;
      const all = {
        ...elements(context, details),
        RequestId: random.hex(16).toUpperCase(),
        HostId: random.bytes(HOST_ID_BYTES).toString("base64"),
      };
      const content = Object.entries(all).map(([name, value]) => `<${name}>${xmlText(value)}</${name}>`);
      return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join("")}</Error>`;
    },
  };
}

export const accessDenied = errorDocument<unknown>(
  403,
  "A parameter of the URL is missing or malformed.",
  () => ({ Code: "AccessDenied", Message: "Access Denied" }),
);

/** `expires` is the URL's `Expires` parameter, in seconds. */
export const expired = errorDocument<{ readonly expires: string; readonly expiresAt: number }>(
  403,
  "The URL has expired.",
  ({ profile, now }, { expires, expiresAt }) => ({
    Code: "AccessDenied",
    Message: "Request has expired",
    [parameterName(profile, "Expires")]: expires,
    Expires: toTheSecond(expiresAt),
    ServerTime: toTheSecond(now),
  }),
);

/** Details: the key. */
export const noSuchKey = errorDocument<string>(
  404,
  "There is no such report, or it is not ready.",
  (_context, key) => ({
    Code: "NoSuchKey",
    Message: "The specified key does not exist.",
    Key: key,
  }),
);

const toTheSecond = (time: number): string =>
  new Date(Math.max(-MOST_MILLISECONDS, Math.min(time, MOST_MILLISECONDS)))
    .toISOString()
    .replace(/\.\d+/, "");

const VALID_SECONDS = 604_799;
const UPPER_CASE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const TOKEN_BYTES = 600;

/**
 * A report's URL as the profile's storage service signs it. Its three secrets are placeholders.
 *
 * @param file - without `.csv`.
 */
export function presignedUrl(
  { profile, random, now }: Context,
  baseUrl: string,
  databaseId: string,
  file: string,
): string {
  const date = compactDate(now);
  const accessKey = random.text(20, UPPER_CASE);
  const parameters: Readonly<Record<keyof typeof PARAMETERS, string>> = {
    "Security-Token": random.bytes(TOKEN_BYTES).toString("base64"),
    Algorithm: profile.reportAlgorithm,
    Date: date,
    SignedHeaders: "host",
    Credential: `${accessKey}/${date.slice(0, "YYYYMMDD".length)}/${profile.reportCredentialScope}`,
    Expires: String(VALID_SECONDS),
    Signature: random.hex(64),
  };
  const query = Object.entries(parameters).map(
    ([name, value]) => `${parameterName(profile, name)}=${encodeURIComponent(value)}`,
  );
  const path = `/reports/${encodeURIComponent(databaseId)}/${file}.csv`;
  return `${baseUrl.replace(/\/+$/, "")}${path}?${query.join("&")}`;
}

/** The schemas of the URL's parameters, by what follows the profile's prefix in their names. */
const PARAMETERS = {
  "Security-Token": () => stringSchema,
  Algorithm: ({ reportAlgorithm }: Profile) => constantSchema(reportAlgorithm),
  Date: () => ({ type: "string", pattern: "^[0-9]{8}T[0-9]{6}Z$" }),
  SignedHeaders: () => stringSchema,
  Credential: () => stringSchema,
  Expires: () => ({ type: "string", pattern: "^-?[0-9]+$", description: "In seconds." }),
  Signature: () => stringSchema,
} satisfies Record<string, (profile: Profile) => JsonSchema>;

export const parametersUnder = (profile: Profile): JsonSchemas =>
  Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, schemaUnder]) => [
      parameterName(profile, name),
      schemaUnder(profile),
    ]),
  );

const parameterName = ({ reportParameterPrefix }: Profile, name: string): string =>
  `${reportParameterPrefix}${name}`;

/** The first of repeated parameters counts. */
export function readValidity(
  profile: Profile,
  query: string,
): { readonly expires: string; readonly expiresAt: number } | { readonly problem: AnyCause } {
  const parameters = new URLSearchParams(query);
  const missing = Object.keys(parametersUnder(profile)).filter((name) => !parameters.has(name));
  if (missing.length > 0) return { problem: cause("url.parameters", { missing: missing.join(", ") }) };
  const start = parseCompactDate(parameters.get(parameterName(profile, "Date")) ?? "");
  if (start === undefined) {
    return {
      problem: cause("url.malformed", {
        parameter: parameterName(profile, "Date"),
        expected: "is malformed; expected a form like 20261121T104200Z",
      }),
    };
  }
  const expires = parameters.get(parameterName(profile, "Expires")) ?? "";
  if (!/^-?\d+$/.test(expires)) {
    return {
      problem: cause("url.malformed", {
        parameter: parameterName(profile, "Expires"),
        expected: "must be a whole number of seconds",
      }),
    };
  }
  return { expires, expiresAt: start + Number(expires) * 1000 };
}

/** `YYYYMMDDTHHMMSSZ` */
const compactDate = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");

function parseCompactDate(text: string): number | undefined {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const time = iso === text ? Number.NaN : Date.parse(iso);
  // Date.parse turns a day that the month does not have into another day.
  return Number.isNaN(time) || compactDate(time) !== text ? undefined : time;
}

export const reportPlace = success({
  ...resultCode(),
  ...transaction,
  presigned_url: withDescription(
    { type: "string", format: "uri" },
    "Where to download the report once it is ready.",
  ),
});

export const reportDownload: DeclaredResponse<string> = {
  status: 200,
  description: "CSV: target_id and reco_count.",
  headers: dated("text/plain"),
  schema: stringSchema,
  body: (_context, csv) => csv,
};
