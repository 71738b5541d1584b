import { makePng } from "./png.ts";
import {
  base64,
  broken,
  field,
  json,
  length,
  name,
  padded,
  type TargetBreak,
  UNAUTHENTICATED,
} from "./target-break.ts";

/** Rows 17 to 25: the fields of the body, and its framing. */
export const TARGET_FIELD_BREAKS: readonly TargetBreak[] = [
  broken(17, "a number as metadata", "add", "Fail 400", field("application_metadata", 1)),
  broken(17, "metadata that is not base64", "add", "Fail 422", field("application_metadata", "a-b_")),
  broken(17, "padding inside the metadata", "add", "Fail 422", field("application_metadata", "ab=c")),
  {
    ...broken(
      17,
      "metadata with a line break",
      "add",
      "Fail 422",
      field("application_metadata", "YWJj\r\nYWJj"),
    ),
    assumed: true,
  },
  broken(
    17,
    "metadata of 1048576 bytes",
    "add",
    "MetadataTooLarge 422",
    field("application_metadata", base64(Buffer.alloc(1_048_576, "x"))),
  ),
  ...[2, -1, 0.5, "true", []].map((flag) =>
    broken(
      18,
      `${typeof flag === "number" && flag < 0 ? "minus 1" : json(flag)} as active_flag`,
      "add",
      "Fail 400",
      field("active_flag", flag),
    ),
  ),
  ...[1, null, true].map((id) =>
    broken(19, `${json(id)} as instance_id`, "instance", "BadRequest 400", field("instance_id", id)),
  ),
  broken(19, "an empty instance_id", "instance", "InvalidInstanceId 422", field("instance_id", "")),
  ...[1, null, {}].map((image) =>
    broken(
      20,
      `${typeof image === "object" && image !== null ? "an object" : json(image)} as image`,
      "add",
      "Fail 400",
      field("image", image),
    ),
  ),
  broken(20, "an image that is not base64", "update", "Fail 422", field("image", "%%%%")),
  broken(21, "an empty image", "add", "BadImage 422", field("image", "")),
  broken(21, "a text as image", "add", "BadImage 422", field("image", base64("not an image"))),
  broken(
    21,
    "an image with alpha",
    "add",
    "BadImage 422",
    field("image", base64(makePng({ colourType: 6 }))),
  ),
  broken(
    21,
    "an image of 2359294 bytes",
    "add",
    "ImageTooLarge 422",
    field("image", base64(Buffer.concat([makePng(), Buffer.alloc(2_359_294 - makePng().length, "x")]))),
  ),
  broken(22, "a number as name", "add", "Fail 400", field("name", 1)),
  broken(22, "an empty name", "add", "Fail 400", field("name", "")),
  broken(
    22,
    "a name of 65 characters",
    "add",
    "Fail 400",
    name((at) => padded(at, 65, "x")),
  ),
  broken(
    22,
    "a name of 65 characters beyond U+FFFF",
    "add",
    "Fail 400",
    name((at) => padded(at, 65, "\u{1f600}")),
  ),
  broken(
    22,
    "a name of 64 characters beyond U+FFFF",
    "add",
    "Fail 500",
    name((at) => padded(at, 64, "\u{1f600}")),
  ),
  broken(
    22,
    "a name with a character beyond U+FFFF",
    "update",
    "TargetNameExist 403",
    name((at) => at.named("\u{10000}")),
  ),
  {
    isTaken: true,
    ...broken(
      22,
      "a taken name",
      "add",
      "TargetNameExist 403",
      name((at) => at.named("existing")),
    ),
  },
  {
    isTaken: true,
    ...broken(
      22,
      "another target's name",
      "update",
      "TargetNameExist 403",
      name((at) => at.named("existing")),
    ),
  },
  ...[0, -1, "1", true, null, []].map((width) =>
    broken(
      23,
      `${width === -1 ? "minus 1" : width === "1" ? 'the text "1"' : Array.isArray(width) ? "an array" : json(width)} as width`,
      "add",
      "Fail 400",
      field("width", width),
    ),
  ),
  broken(24, "an empty Content-Type", "add", UNAUTHENTICATED, (draft) => {
    draft.contentType = "";
  }),
  broken(25, "a Content-Length above the body's", "summary", 408, length("5000000")),
  broken(25, "a Content-Length of text", "add", "length", length("many")),
  broken(25, "a Content-Length below the body's", "add", "short body", length("1")),
];
