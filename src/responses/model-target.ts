import type { Reply, Respond } from "../http/exchange.ts";
import { asciiJson } from "./json.ts";
import { bodyReply } from "./plain.ts";

/** The envelopes of OAuth 2.0 and the Model Target API (protocol section 9). */

export interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
}

export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
}

/** Keys go out in the order given. */
export const modelTargetJson = (status: number, content: object): Reply =>
  bodyReply(status, "application/json", asciiJson(content));

export const modelTargetText = (status: number, text: string): Reply => bodyReply(status, "text/plain", text);

export const emptyReply = (status: number): Reply => ({
  status,
  headers: [["Content-Length", "0"]],
  body: Buffer.alloc(0),
});

/** `{"error":{"code","message","target"?,"details"?}}` */
export function serviceError(status: number, error: ServiceError): Respond {
  const { code, message, target, details } = error;
  return () => ({
    ...modelTargetJson(status, { error: { code, message, target, details } }),
    resultCode: code,
  });
}

/** `{"error","error_description"?}`: the token route's own shape. */
export function tokenError(status: number, error: string, description?: string): Respond {
  return () => ({
    ...modelTargetJson(status, { error, error_description: description }),
    resultCode: error,
  });
}

/** 400 with one detail per finding, under a uuid of the request's own. */
export function validationError(messages: readonly string[]): Respond {
  return (exchange) => {
    const uuid = exchange.random.hex(32);
    return serviceError(400, {
      code: "BAD_REQUEST",
      message: `Validation error for request ${uuid}`,
      target: uuid,
      details: messages.map((message) => ({ code: "VALIDATION_ERROR", message })),
    })(exchange);
  };
}
