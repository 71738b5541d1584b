import type { Context } from "../../emulator/context.ts";
import type { Profile } from "../../emulator/profiles.ts";

const VALID_SECONDS = 604_799;
const UPPER_CASE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const TOKEN_BYTES = 600;

/**
 * The URL of a report, in the form of the URLs that the profile's storage service signs. Its three secrets are
 * placeholders.
 *
 * @param file - the file's name without `.csv`.
 */
export function presignedUrl(
  { profile, random, now }: Context,
  baseUrl: string,
  databaseId: string,
  file: string,
): string {
  const date = compactDate(now);
  const accessKey = random.text(20, UPPER_CASE);
  const parameters: readonly (readonly [Parameter, string])[] = [
    ["Security-Token", random.bytes(TOKEN_BYTES).toString("base64")],
    ["Algorithm", profile.reportAlgorithm],
    ["Date", date],
    ["SignedHeaders", "host"],
    ["Credential", `${accessKey}/${date.slice(0, "YYYYMMDD".length)}/${profile.reportCredentialScope}`],
    ["Expires", String(VALID_SECONDS)],
    ["Signature", random.hex(64)],
  ];
  const query = parameters.map(
    ([name, value]) => `${parameterName(profile, name)}=${encodeURIComponent(value)}`,
  );
  const path = `/reports/${encodeURIComponent(databaseId)}/${file}.csv`;
  return `${baseUrl.replace(/\/+$/, "")}${path}?${query.join("&")}`;
}

const PARAMETERS = [
  "Security-Token",
  "Algorithm",
  "Date",
  "SignedHeaders",
  "Credential",
  "Expires",
  "Signature",
] as const;
type Parameter = (typeof PARAMETERS)[number];

export const parameterName = ({ reportParameterPrefix }: Profile, name: Parameter): string =>
  `${reportParameterPrefix}${name}`;

/** When a download's URL expires, or what is wrong with it. Of a repeated parameter the first counts. */
export function readValidity(
  profile: Profile,
  query: string,
): { readonly expires: string; readonly expiresAt: number } | { readonly problem: string } {
  const parameters = new URLSearchParams(query);
  const missing = PARAMETERS.map((name) => parameterName(profile, name)).filter(
    (name) => !parameters.has(name),
  );
  if (missing.length > 0) return { problem: `the URL lacks ${missing.join(", ")}` };
  const start = parseCompactDate(parameters.get(parameterName(profile, "Date")) ?? "");
  if (start === undefined) {
    return {
      problem: `${parameterName(profile, "Date")} is malformed; expected a form like 20261121T104200Z`,
    };
  }
  const expires = parameters.get(parameterName(profile, "Expires")) ?? "";
  if (!/^-?\d+$/.test(expires)) {
    return { problem: `${parameterName(profile, "Expires")} must be a whole number of seconds` };
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
