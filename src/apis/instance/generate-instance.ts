import { endpoint } from "../../http/endpoint.ts";
import { targetApiHeaders } from "../../responses/target-api.ts";
import { instanceChecks } from "./guards.ts";

/** `POST /targets/{id}/instances`: an image that shows and carries the instance id. Protocol section 6. */
export const generateInstance = endpoint(
  "generateInstance",
  "POST",
  "/targets/{id}/instances",
  instanceChecks,
  (context) => {
    const { mediaType, render, body } = context;
    // A lone surrogate is no character that any of the formats could carry.
    const image = render(Buffer.from(String(body.fields.instance_id)).toString());
    return { status: 200, headers: targetApiHeaders(context, mediaType, image), body: image };
  },
);
