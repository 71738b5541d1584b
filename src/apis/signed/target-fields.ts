import { check } from "../../emulator/check.ts";
import { type DeclaredResponse, refuse } from "../../emulator/response.ts";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";
import { show } from "../../emulator/text.ts";
import { compareBySimilarity } from "../../images/matching/comparison.ts";
import { inspectTargetImage } from "../../images/on-demand.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import { MAX_METADATA_BYTES } from "../../schema/target.ts";
import { explainBase64 } from "../explanations/base64.ts";
import type { ApiContext } from "../services.ts";
import { fail, failure } from "./target-responses.ts";

/** The operations whose body has a target's fields; a check of an absent field passes. */
const concerns = ["addTarget", "updateTarget"] as const;

const MAX_NAME_CHARACTERS = 64;
const MANY_CHARACTERS = 10_000;

/** Longer texts are decoded in a separate turn of the event loop. */
const LARGE_IMAGE_CHARACTERS = 2 ** 18;

/** Row 17: `application_metadata` is null, or a base64 string of at most 1048575 bytes when decoded. */
export const metadataFits = check({
  name: "metadataFits",
  concerns,
  refusals: [fail(400), fail(422), failure("MetadataTooLarge")],
  test: ({ body }: ApiContext) => {
    const metadata = body.fields.application_metadata;
    if (metadata === undefined || metadata === null) return true;
    if (typeof metadata !== "string") {
      return refuse(fail(400), `application_metadata must be a base64 string or null; got ${show(metadata)}`);
    }
    const decoded = decodeServiceBase64(metadata);
    if (decoded === undefined) return refuse(fail(422), `application_metadata ${explainBase64(metadata)}`);
    return (
      decoded.length <= MAX_METADATA_BYTES ||
      refuse(
        failure("MetadataTooLarge"),
        `application_metadata has ${decoded.length} bytes when decoded; expected at most ${MAX_METADATA_BYTES}`,
      )
    );
  },
});

/** What each accepted value of `active_flag` means. The service's sample clients send 1. */
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
]);

/** `active_flag` as it is stored; undefined when it is absent or null. */
export const activeFlagOf = ({ body }: Pick<ApiContext, "body">): boolean | undefined =>
  FLAGS.get(body.fields.active_flag);

/** Row 18: `active_flag` is a boolean, 0, 1 or null. */
export const activeFlagBoolean = check({
  name: "activeFlagBoolean",
  concerns,
  refusals: [fail(400)],
  test: ({ body }: ApiContext) => {
    const flag = body.fields.active_flag;
    return (
      flag === undefined ||
      flag === null ||
      FLAGS.has(flag) ||
      `active_flag must be true, false, 1, 0 or null; got ${show(flag)}`
    );
  },
});

/** The service's limit depends on the template, and is far lower. */
const LONGEST_INSTANCE_ID = 65_536;

/** Row 19: `instance_id` is a string, not empty and not too long. */
export const instanceIdGiven = check({
  name: "instanceIdGiven",
  concerns: ["generateInstance"],
  refusals: [failure("BadRequest"), failure("InvalidInstanceId")],
  test: ({ body }: ApiContext) => {
    const id = body.fields.instance_id;
    if (typeof id !== "string") {
      return refuse(failure("BadRequest"), `instance_id must be a string; got ${show(id)}`);
    }
    return (
      (id !== "" && id.length <= LONGEST_INSTANCE_ID) ||
      refuse(
        failure("InvalidInstanceId"),
        `instance_id has ${id.length} characters; expected 1 to ${LONGEST_INSTANCE_ID}`,
      )
    );
  },
});

/** Row 20: `image` is a base64 string. Finds its bytes; undefined when it is absent. */
export const imageIsBase64 = check({
  name: "imageIsBase64",
  concerns,
  refusals: [fail(400), fail(422)],
  test: ({ body }: ApiContext) => {
    const { image } = body.fields;
    if (image === undefined) return { image };
    if (typeof image !== "string") {
      return refuse(fail(400), `image must be a base64 string; got ${show(image)}`);
    }
    const judge = () => {
      const bytes = decodeServiceBase64(image);
      return bytes === undefined ? refuse(fail(422), `image ${explainBase64(image)}`) : { image: bytes };
    };
    return image.length > LARGE_IMAGE_CHARACTERS ? yieldToEventLoop().then(judge) : judge();
  },
});

/** Row 21: the bytes are a PNG or JPEG of an accepted kind and size, complete and undamaged. */
export const imageAcceptable = check({
  name: "imageAcceptable",
  concerns,
  refusals: [failure("BadImage"), failure("ImageTooLarge")],
  test: async ({ image, services }: ApiContext & { readonly image: Buffer | undefined }) => {
    if (image === undefined) return true;
    const { queryMatcher, duplicatesMatcher } = services.settings;
    const verdict = await inspectTargetImage(image, compareBySimilarity(queryMatcher, duplicatesMatcher));
    return verdict.ok || refuse(failure(verdict.resultCode), verdict.reason);
  },
});

/** Row 22: `name` is a string of 1 to 64 characters up to U+FFFF that no other target of the database has. */
const nameFree = <Name extends (typeof concerns)[number]>(name: Name, astral: DeclaredResponse) =>
  check({
    name: "nameFree",
    concerns: [name],
    refusals: [fail(400), astral, failure("TargetNameExist")],
    test: async ({ body, params, database, services }: ApiContext & { readonly database: CloudDatabase }) => {
      const given = body.fields.name;
      if (given === undefined) return true;
      if (typeof given !== "string") return refuse(fail(400), `name must be a string; got ${show(given)}`);
      // Listing the characters of a text of megabytes takes seconds.
      const characters = [...given.slice(0, MANY_CHARACTERS)];
      if (characters.length < 1 || characters.length > MAX_NAME_CHARACTERS) {
        return refuse(
          fail(400),
          `name must have 1 to ${MAX_NAME_CHARACTERS} characters; got ${given.length > MANY_CHARACTERS ? given.length : characters.length}: ${show(given)}`,
        );
      }
      const above = characters.find((character) => (character.codePointAt(0) ?? 0) > 0xffff);
      if (above !== undefined) {
        return refuse(
          astral,
          `name has the character ${show(above)}, which is above U+FFFF; the service fails on such characters`,
        );
      }
      const owner = await services.store.findTargetByName(database.databaseName, given);
      return owner === undefined || owner.targetId === params.id || nameTaken(given);
    },
  });

export const newNameFree = nameFree("addTarget", fail(500));
export const changedNameFree = nameFree("updateTarget", failure("TargetNameExist"));

export const nameTaken = (name: unknown) =>
  refuse(failure("TargetNameExist"), `another target of the database has the name ${show(name)}`);

/** Row 23: `width` is a number above 0, in scene units. */
export const widthPositive = check({
  name: "widthPositive",
  concerns,
  refusals: [fail(400)],
  test: ({ body }: ApiContext) => {
    const { width } = body.fields;
    return (
      width === undefined ||
      (typeof width === "number" && width > 0 && Number.isFinite(width)) ||
      `width must be a number above 0; got ${show(width)}`
    );
  },
});
