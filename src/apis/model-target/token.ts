import { endpoint } from "../../http/endpoint.ts";
import { modelTargetJson } from "../../responses/model-target.ts";
import { accessToken } from "./access-token.ts";
import { tokenChecks } from "./token-checks.ts";

const LIFETIME_SECONDS = 3600;

/** `POST /oauth2/token`: a bearer token. Protocol section 9. */
export const token = endpoint("token", "POST", "/oauth2/token", tokenChecks, ({ holder, granted }) =>
  modelTargetJson(200, {
    access_token: accessToken(holder.source, granted),
    token_type: "bearer",
    expires_in: LIFETIME_SECONDS,
  }),
);
