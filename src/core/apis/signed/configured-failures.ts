import { type DeclaredResponse, dated } from "../../emulator/response.ts";
import type { InstanceFailure } from "../services.ts";
import { failure } from "./responses.ts";

/** A configured failure does not have the headers of other responses. */
const configuredFailure = (code: InstanceFailure): DeclaredResponse => ({
  ...failure(code),
  headers: dated("application/json"),
});

/** What the option `instanceGenerationFailure` answers. */
export const CONFIGURED_FAILURES: Readonly<Record<InstanceFailure, DeclaredResponse>> = {
  QuotaExceeded: configuredFailure("QuotaExceeded"),
  LicenseCheckFailed: configuredFailure("LicenseCheckFailed"),
  AuthorizationFailed: configuredFailure("AuthorizationFailed"),
};
