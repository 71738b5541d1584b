import { check } from "../../emulator/check.ts";
import { addRemark } from "../../emulator/context.ts";
import { type DeclaredResponse, notYet, Refusal, refuse } from "../../emulator/response.ts";
import { show, TEXTS_OF_NOTHING } from "../../general/text.ts";
import { inspectTargetImage, remarkOnPicture } from "../../images/on-demand.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import { MAX_METADATA_BYTES } from "../../schema/protocol.ts";
import type { NewImage } from "../../schema/target.ts";
import { hasRoom, isNameFree } from "../../store/changes.ts";
import type { RecordsOf } from "../../store/records.ts";
import { explainBase64, explainUnknown, isUnreadText, lostInJson } from "../explanations/bodies.ts";
import { reencodedAs } from "../explanations/reencoded.ts";
import { unknownTarget } from "../explanations/values.ts";
import type { ApiContext, TargetsView } from "../services.ts";
import {
  knownAccessKey,
  requestQuotaLeft,
  signatureMatches,
  signedTable,
  stateAllows,
  stateAllowsMore,
} from "../signed/authentication.ts";
import {
  bodyGiven,
  bodyIsJsonObject,
  contentLengthFits,
  contentTypeGiven,
  dateCurrent,
  keysAllowed,
} from "../signed/framing.ts";
import { fail, failure, unexpectedBody } from "../signed/responses.ts";

type CloudContext = ApiContext & {
  readonly database: CloudDatabase;
  readonly records: RecordsOf<CloudDatabase>;
  readonly targets: TargetsView;
};

const targetQuotaLeft = check({
  name: "targetQuotaLeft",
  operations: ["addTarget"],
  refusals: [failure("TargetQuotaReached")],
  test: ({ records }: CloudContext) =>
    hasRoom(records) || cause("quota.targets", { quota: records.database.targetQuota }),
});

/** The path's target exists and is not deleted. Adds it to the context. */
const knownTarget = check({
  name: "knownTarget",
  operations: ["getTarget", "updateTarget", "deleteTarget", "getDuplicates", "targetSummary"],
  refusals: [failure("UnknownTarget")],
  testLater: async (context: CloudContext) => {
    const { target, hidden } = context.targets.find(context.params.id ?? "");
    if (target !== undefined) return { target };
    return hidden === undefined
      ? unknownTarget(context, context.targets.list())
      : notYet(failure("UnknownTarget"), hidden);
  },
});

const WITHOUT_BODY = [
  "listTargets",
  "getTarget",
  "deleteTarget",
  "getDuplicates",
  "databaseSummary",
  "targetSummary",
] as const;

const noUnexpectedBody = check({
  name: "noUnexpectedBody",
  operations: WITHOUT_BODY,
  refusals: [unexpectedBody],
  test: ({ request, body }: ApiContext) =>
    body.isEmpty || cause("body.unexpected", { method: request.method, bytes: body.bytes.length }),
});

/** The operations whose body has a target's fields; a check of an absent field passes. */
const operations = ["addTarget", "updateTarget"] as const;

const MAX_NAME_CHARACTERS = 64;
const MANY_CHARACTERS = 10_000;

/** Records base64 in lines, as mail encoders write it. */
function remarkOnLines(context: ApiContext, name: string, text: string): void {
  if (!text.includes("\n") && !text.includes("\r")) return;
  addRemark(context.entry, cause("base64.lines", { field: name, characters: text.search(/[\r\n]/) }));
}

/** Records a name that was encoded twice or not set: it is accepted, and nobody finds it by what was meant. */
function remarkOnName(context: ApiContext, name: string): void {
  if (TEXTS_OF_NOTHING.includes(name))
    addRemark(context.entry, cause("text.unset", { field: "name", text: name }));
  if (!/[\u0080-\u00ff\ufffd]/.test(name)) return;
  const as = reencodedAs(Buffer.from(name));
  if (as !== undefined) addRemark(context.entry, cause("name.reencoded", { name: show(name), as }));
}

/** `application_metadata` is null, or base64 of at most {@link MAX_METADATA_BYTES}. Adds it to the context; null if absent. */
const metadataFits = check({
  name: "metadataFits",
  operations,
  refusals: [fail(400), fail(422), failure("MetadataTooLarge")],
  test: (context: ApiContext) => {
    const metadata = context.body.fields.application_metadata;
    if (metadata === undefined || metadata === null) return { applicationMetadata: null };
    if (typeof metadata !== "string") {
      const lost = lostInJson("application_metadata", metadata);
      return refuse(fail(400), lost ?? cause("metadata.type", { given: show(metadata) }));
    }
    const decoded = decodeServiceBase64(metadata);
    if (decoded === undefined) return refuse(fail(422), explainBase64("application_metadata", metadata));
    remarkOnLines(context, "application_metadata", metadata);
    return decoded.length <= MAX_METADATA_BYTES
      ? { applicationMetadata: metadata }
      : refuse(
          failure("MetadataTooLarge"),
          cause("metadata.too-large", { bytes: decoded.length, most: MAX_METADATA_BYTES }),
        );
  },
});

/** The accepted values of `active_flag`. The service's sample clients send 1. */
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
]);

/** `active_flag` is a boolean, 0, 1 or null. Adds it to the context; undefined if absent or null. */
const activeFlagBoolean = check({
  name: "activeFlagBoolean",
  operations,
  refusals: [fail(400)],
  test: ({ body }: ApiContext) => {
    const flag = body.fields.active_flag;
    const activeFlag = FLAGS.get(flag);
    return activeFlag === undefined && flag !== undefined && flag !== null
      ? cause("flag.wrong", { given: show(flag) })
      : { activeFlag };
  },
});

/** Decodes a base64 string. */
function imageOf(context: ApiContext): Buffer | Refusal {
  if (context.body.image !== undefined) return context.body.image;
  const { image } = context.body.fields;
  if (typeof image !== "string") {
    const lost = lostInJson("image", image);
    return refuse(fail(400), lost ?? cause("image.type", { given: show(image) }));
  }
  const bytes = decodeServiceBase64(image);
  if (bytes === undefined) return refuse(fail(422), explainBase64("image", image));
  remarkOnLines(context, "image", image);
  return bytes;
}

/** Measures an image that is a PNG or JPEG of an accepted kind and size, complete and undamaged. */
async function measuredImage(context: ApiContext, bytes: Buffer): Promise<NewImage | Refusal> {
  const { body, services } = context;
  const verdict = await inspectTargetImage(bytes, services.answerOptions.wantedMeasures);
  const remark = verdict.ok ? remarkOnPicture(bytes) : undefined;
  if (remark !== undefined) addRemark(context.entry, remark);
  if (verdict.ok) return verdict.image;
  // Some of these texts are base64 too.
  const text = String(body.fields.image);
  if (isUnreadText(text)) return refuse(failure(verdict.resultCode), cause("image.unset", { text }));
  const isUnknown = verdict.cause.code === "image.unknown";
  return refuse(failure(verdict.resultCode), isUnknown ? explainUnknown(text, verdict.cause) : verdict.cause);
}

const base64Image = { name: "imageIsBase64", refusals: [fail(400), fail(422)] } as const;
const acceptableImage = {
  name: "imageAcceptable",
  refusals: [failure("BadImage"), failure("ImageTooLarge")],
} as const;

/** `image` is a base64 string. Adds its bytes to the context. */
const newImageIsBase64 = check({
  ...base64Image,
  operations: ["addTarget"],
  test: (context: ApiContext) => {
    const bytes = imageOf(context);
    return bytes instanceof Refusal ? bytes : { bytes };
  },
});

/** The same if an image is given. */
const changedImageIsBase64 = check({
  ...base64Image,
  operations: ["updateTarget"],
  test: (context: ApiContext) => {
    const bytes = context.body.fields.image === undefined ? undefined : imageOf(context);
    return bytes instanceof Refusal ? bytes : { bytes };
  },
});

/** The bytes are an accepted image. Adds it, measured, to the context. */
const newImageAcceptable = check({
  ...acceptableImage,
  operations: ["addTarget"],
  testLater: async (context: ApiContext & { readonly bytes: Buffer }) => {
    const image = await measuredImage(context, context.bytes);
    return image instanceof Refusal ? image : { image };
  },
});

/** The same if an image is given. */
const changedImageAcceptable = check({
  ...acceptableImage,
  operations: ["updateTarget"],
  testLater: async (context: ApiContext & { readonly bytes: Buffer | undefined }) => {
    const image = context.bytes && (await measuredImage(context, context.bytes));
    return image instanceof Refusal ? image : { image };
  },
});

/** `name` is a string of 1 to 64 characters up to U+FFFF that no other target of the database has. */
const nameFree = <Name extends (typeof operations)[number]>(name: Name, astral: DeclaredResponse) =>
  check({
    name: "nameFree",
    operations: [name],
    refusals: [fail(400), astral, failure("TargetNameExist")],
    test: (context: CloudContext) => {
      const { body, params, records } = context;
      const given = body.fields.name;
      if (given === undefined) return true;
      if (typeof given !== "string") return refuse(fail(400), cause("name.type", { given: show(given) }));
      // Listing the characters of a text of megabytes takes seconds.
      const characters = [...given.slice(0, MANY_CHARACTERS)];
      if (characters.length < 1 || characters.length > MAX_NAME_CHARACTERS) {
        return refuse(
          fail(400),
          cause("name.length", {
            characters: given.length > MANY_CHARACTERS ? given.length : characters.length,
            most: MAX_NAME_CHARACTERS,
            given: show(given),
          }),
        );
      }
      const [above] = given.match(/[\u{10000}-\u{10ffff}]/u) ?? [];
      if (above !== undefined) {
        return refuse(astral, cause("name.character", { character: show(above) }));
      }
      remarkOnName(context, given);
      return isNameFree(records, given, params.id) || nameTaken(given);
    },
  });

const newNameFree = nameFree("addTarget", fail(500));

const changedNameFree = nameFree("updateTarget", failure("TargetNameExist"));

export const nameTaken = (name: unknown) =>
  refuse(failure("TargetNameExist"), cause("name.taken", { name: show(name) }));

/** `width` is a number above 0, in scene units. */
const widthPositive = check({
  name: "widthPositive",
  operations,
  refusals: [fail(400)],
  test: ({ body }: ApiContext) => {
    const { width } = body.fields;
    return (
      width === undefined ||
      (typeof width === "number" && width > 0 && Number.isFinite(width)) ||
      cause("width.wrong", { given: show(width) })
    );
  },
});

/** A check whose responses differ between operations is several with the same name. */
export const targetTable = signedTable
  .and(knownAccessKey) // adds the database
  .and(signatureMatches)
  .and(requestQuotaLeft)
  .and(stateAllows)
  .and(stateAllowsMore)
  .and(targetQuotaLeft)
  .and(knownTarget) // adds the path's target
  .and(noUnexpectedBody)
  .and(dateCurrent)
  .and({ ...bodyGiven(fail(500)), operations })
  .and({ ...bodyIsJsonObject(fail(400)), operations })
  .and({ ...keysAllowed(fail(400)), operations })
  .and(metadataFits)
  .and(activeFlagBoolean)
  .and(newImageIsBase64) // adds the image's bytes
  .and(changedImageIsBase64)
  .and(newImageAcceptable) // adds the measured image
  .and(changedImageAcceptable)
  .and(newNameFree)
  .and(changedNameFree)
  .and(widthPositive)
  .and({ ...contentTypeGiven, operations })
  .and(contentLengthFits);
