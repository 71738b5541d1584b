import type { Database } from "../domain/database.ts";
import { decodeServiceBase64 } from "../domain/service-base64.ts";
import { guard, refuse } from "../http/guard.ts";
import { show } from "../http/show.ts";
import { inspectTargetImage } from "../images/inspect.ts";
import { failure } from "../responses/target-api.ts";
import type { Call } from "../services.ts";

const MAX_METADATA_BYTES = 1_048_575;
const MAX_NAME_CHARACTERS = 64;

/** The fields of bodies that add or update a target; checks of absent fields pass. */
const fieldsOf = ({ operation, body }: Call) =>
  operation === "addTarget" || operation === "updateTarget" ? body.fields : {};

/** The image of a body whose `image` was checked. */
export const imageOf = (call: Call): Buffer | undefined => {
  const { image } = fieldsOf(call);
  return typeof image === "string" ? decodeServiceBase64(image) : undefined;
};

const BASE64_REASON = "is not base64 (A-Z, a-z, 0-9, +, / and padding at the end)";

/** Row 17: `application_metadata` is a string of base64 or null, decoded at most 1048575 bytes. */
export const metadataFits = guard<Call>("metadataFits", (call) => {
  const metadata = fieldsOf(call).application_metadata;
  if (metadata === undefined || metadata === null) return undefined;
  if (typeof metadata !== "string") {
    return refuse(
      failure("Fail"),
      `application_metadata must be a base64 string or null, got ${show(metadata)}`,
    );
  }
  const decoded = decodeServiceBase64(metadata);
  if (decoded === undefined) return refuse(failure("Fail", 422), `application_metadata ${BASE64_REASON}`);
  return decoded.length <= MAX_METADATA_BYTES
    ? undefined
    : refuse(
        failure("MetadataTooLarge"),
        `application_metadata has ${decoded.length} bytes when decoded; at most ${MAX_METADATA_BYTES} are accepted`,
      );
});

/** Row 18: `active_flag` is a boolean or null. */
export const activeFlagBoolean = guard<Call>("activeFlagBoolean", (call) => {
  const flag = fieldsOf(call).active_flag;
  return flag === undefined || flag === null || typeof flag === "boolean"
    ? undefined
    : refuse(failure("Fail"), `active_flag must be true, false or null, got ${show(flag)}`);
});

/** Row 19: `instance_id` is a string and not empty. */
export const instanceIdGiven = guard<Call>("instanceIdGiven", ({ operation, body }) => {
  if (operation !== "generateInstance") return undefined;
  const id = body.fields.instance_id;
  if (typeof id !== "string") {
    return refuse(failure("BadRequest"), `instance_id must be a string, got ${show(id)}`);
  }
  return id === ""
    ? refuse(failure("InvalidInstanceId"), "instance_id is empty; it wants some text")
    : undefined;
});

/** Row 20: `image` is a string of base64. */
export const imageIsBase64 = guard<Call>("imageIsBase64", (call) => {
  const { image } = fieldsOf(call);
  if (image === undefined) return undefined;
  if (typeof image !== "string") {
    return refuse(failure("Fail"), `image must be a base64 string, got ${show(image)}`);
  }
  return imageOf(call) === undefined ? refuse(failure("Fail", 422), `image ${BASE64_REASON}`) : undefined;
});

/** Row 21: the bytes are a PNG or JPEG of an accepted kind and size, complete and undamaged. */
export const imageAcceptable = guard<Call>("imageAcceptable", async (call) => {
  const image = imageOf(call);
  if (image === undefined) return undefined;
  const verdict = await inspectTargetImage(image);
  return verdict.ok ? undefined : refuse(failure(verdict.resultCode), verdict.reason);
});

/** Row 22: `name` is a string of 1 to 64 characters up to U+FFFF that no other target of the database has. */
export const nameFree = guard<Call & { readonly database: Database }>("nameFree", async (call) => {
  const { name } = fieldsOf(call);
  if (name === undefined) return undefined;
  if (typeof name !== "string") return refuse(failure("Fail"), `name must be a string, got ${show(name)}`);
  const characters = [...name];
  if (characters.length < 1 || characters.length > MAX_NAME_CHARACTERS) {
    return refuse(
      failure("Fail"),
      `name must have 1 to ${MAX_NAME_CHARACTERS} characters, got ${characters.length}: ${show(name)}`,
    );
  }
  const astral = characters.find((character) => (character.codePointAt(0) ?? 0) > 0xffff);
  if (astral !== undefined) {
    const code = call.operation === "addTarget" ? failure("Fail", 500) : failure("TargetNameExist");
    return refuse(code, `name has the character ${show(astral)}, above U+FFFF; the service fails on these`);
  }
  const owner = await call.services.store.findTargetByName(call.database.name, name);
  return owner === undefined || owner.id === call.params.id ? undefined : nameTaken(name);
});

export const nameTaken = (name: unknown) =>
  refuse(failure("TargetNameExist"), `another target of the database has the name ${show(name)}`);

/** Row 23: `width` is a number above 0, in scene units. */
export const widthPositive = guard<Call>("widthPositive", (call) => {
  const { width } = fieldsOf(call);
  return width === undefined || (typeof width === "number" && width > 0 && Number.isFinite(width))
    ? undefined
    : refuse(failure("Fail"), `width must be a number above 0, got ${show(width)}`);
});
