import type { Context } from "../../emulator/context.ts";
import { text } from "../../emulator/json-schema.ts";
import { dated } from "../../emulator/plain.ts";
import type { DeclaredResponse } from "../../emulator/response.ts";
import { xmlText } from "../../emulator/xml.ts";
import { MOST_MILLISECONDS } from "../../schema/kernel/values.ts";
import { parameterName } from "./presigned-url.ts";

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
    schema: text,
    body: (context, details) => {
      const { random } = context;
      const all = {
        ...elements(context, details),
        RequestId: random.hex(16).toUpperCase(),
        HostId: random.bytes(HOST_ID_BYTES).toString("base64"),
      };
      const content = Object.entries(all).map(([name, value]) => `<${name}>${xmlText(value)}</${name}>`);
      return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join("")}</Error>\n`;
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
