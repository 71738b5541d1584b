import type { Exchange, Respond } from "../../http/exchange.ts";
import { plainReply } from "../../responses/plain.ts";
import { xmlText } from "../../responses/xml.ts";
import { parameterName } from "./presigned-url.ts";

/** The error documents of report downloads (protocol section 14). */

const HOST_ID_BYTES = 56;

const errorDocument = (exchange: Exchange, status: number, elements: Readonly<Record<string, string>>) => {
  const { random } = exchange;
  const all = {
    ...elements,
    RequestId: random.hex(16).toUpperCase(),
    HostId: random.bytes(HOST_ID_BYTES).toString("base64"),
  };
  const content = Object.entries(all).map(([name, text]) => `<${name}>${xmlText(text)}</${name}>`);
  const document = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join("")}</Error>\n`;
  return plainReply(exchange, status, "application/xml", document);
};

export const accessDenied: Respond = (exchange) =>
  errorDocument(exchange, 403, { Code: "AccessDenied", Message: "Access Denied" });

/** @param expires - the URL's own `Expires`, in seconds. */
export const expired =
  (expires: string, expiresAt: number): Respond =>
  (exchange) =>
    errorDocument(exchange, 403, {
      Code: "AccessDenied",
      Message: "Request has expired",
      [parameterName(exchange.profile, "Expires")]: expires,
      Expires: toTheSecond(expiresAt),
      ServerTime: toTheSecond(exchange.now),
    });

export const noSuchKey =
  (key: string): Respond =>
  (exchange) =>
    errorDocument(exchange, 404, {
      Code: "NoSuchKey",
      Message: "The specified key does not exist.",
      Key: key,
    });

const toTheSecond = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, "");
