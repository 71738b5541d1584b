import { check } from "../../emulator/check.ts";
import type { Context } from "../../emulator/context.ts";
import { MOST_PARTS, type MultipartForm, readForm } from "../../emulator/multipart.ts";
import { refuse } from "../../emulator/response.ts";
import { hasEnd } from "../../general/image-header.ts";
import { show } from "../../general/text.ts";
import { inspectQueryImage } from "../../images/on-demand.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import { lostInForm } from "../explanations/bodies.ts";
import {
  boundaryAbsent,
  dispositionMissing,
  imageMissing,
  otherDisposition,
  unknownFields,
} from "../explanations/forms.ts";
import {
  badImage,
  entityTooLarge,
  invalidValue,
  noDisposition,
  noImage,
  outOfRange,
  unknownParameters,
  unknownParametersText,
} from "./responses.ts";

type BoundaryContext = Context & { readonly boundary: string };

/** The boundary occurs in the body. Adds the form to the context. */
export const boundaryOccurs = check({
  name: "boundaryOccurs",
  refusals: [noImage],
  test: ({ request: { body }, boundary }: BoundaryContext) => {
    const form = readForm(body, boundary);
    return form.parts.length > 0 || body.includes(Buffer.from(boundary, "latin1"))
      ? { form }
      : boundaryAbsent(body, boundary);
  },
});

interface FormContext extends BoundaryContext {
  readonly form: MultipartForm;
}

/** Every part that was begun has a `Content-Disposition` header. */
export const dispositionsGiven = check({
  name: "dispositionsGiven",
  refusals: [noDisposition],
  test: ({ form, request: { body }, boundary }: FormContext) =>
    !form.lacksDisposition || dispositionMissing(body, boundary),
});

const FIELDS = ["image", "max_num_results", "include_target_data"];

/** Only known fields; names are case-sensitive. */
export const fieldsKnown = check({
  name: "fieldsKnown",
  refusals: ({ unknownQueryField }) => [
    unknownQueryField === "json" ? unknownParameters : unknownParametersText,
  ],
  test: ({ form }: FormContext) => {
    if (form.isCut) return cause("form.parts", { most: MOST_PARTS });
    return form.parts.every(({ name }) => FIELDS.includes(name)) || unknownFields(form, FIELDS);
  },
});

/** An image is given, as a file. Adds its bytes to the context. */
export const imageGiven = check({
  name: "imageGiven",
  refusals: [noImage],
  test: ({ form, request: { body }, boundary }: FormContext) => {
    const file = form.parts.find(({ name, filename }) => name === "image" && filename !== undefined);
    if (file !== undefined) return { image: file.content, isImageCutOff: file.isCutOff };
    const text = form.parts.find(({ name }) => name === "image")?.content;
    const lost = text && lostInForm(text);
    if (lost) return lost;
    if (text) return cause("image.no-file");
    const given = otherDisposition(body, boundary);
    return given === undefined
      ? imageMissing(body, boundary, form)
      : cause("form.disposition", { given: show(given) });
  },
});

interface ImageContext {
  readonly image: Buffer;
  readonly isImageCutOff: boolean;
}

/** The image opens, with sides that are not too long. It may lack its end, unless the body ends within it. */
export const imageOpens = check({
  name: "imageOpens",
  refusals: [badImage],
  testLater: async ({ image, isImageCutOff }: ImageContext) => {
    const verdict = await inspectQueryImage(image);
    if (!verdict.ok) return verdict.cause;
    return !isImageCutOff || hasEnd(image) || cause("image.cut-off", { bytes: image.length });
  },
});

const MOST_IMAGE_BYTES = 2_097_152;

/** Why a query refuses an image for its size; undefined when it does not. */
export const whyTooLarge = ({ length }: Buffer): AnyCause | undefined =>
  length <= MOST_IMAGE_BYTES
    ? undefined
    : cause("image.too-large", { bytes: length, most: MOST_IMAGE_BYTES, isQuery: true });

export const imageSmallEnough = check({
  name: "imageSmallEnough",
  refusals: [entityTooLarge],
  test: ({ image }: ImageContext) => whyTooLarge(image) ?? true,
});

/** Longer than valid values: refusals repeat the value. */
export const MOST_FIELD_BYTES = 2 ** 16;

/** The first bytes of a field that is not a file. */
function fieldOf({ form }: FormContext, name: string): Buffer | undefined {
  const content = form.parts.find((part) => part.name === name && part.filename === undefined)?.content;
  return content?.subarray(0, MOST_FIELD_BYTES);
}

const LARGEST_INTEGER = 2_147_483_647;
const MOST_RESULTS = 50;

/** `max_num_results` is an integer from 1 to 50. Default 1. */
export const maxNumResultsValid = check({
  name: "maxNumResultsValid",
  refusals: [invalidValue, outOfRange],
  test: (context: FormContext) => {
    const content = fieldOf(context, "max_num_results");
    if (content === undefined) return { maxNumResults: 1 };
    // One character per byte: the response repeats the bytes.
    const given = content.toString("latin1");
    const why = cause("max-results.wrong", { given: show(content.toString()), most: MOST_RESULTS });
    const refused = (declared: typeof invalidValue, line: string) =>
      refuse(declared, why, Buffer.from(line, "latin1"));
    const isNumber = content.length < MOST_FIELD_BYTES && /^ *[+-]?\d+ *$/.test(given);
    const maxNumResults = isNumber ? Number(given) : Number.NaN;
    const field = "in form data part 'max_result'";
    if (Number.isNaN(maxNumResults) || maxNumResults > LARGEST_INTEGER) {
      return refused(
        invalidValue,
        `Invalid value '${given}' ${field}. Expecting integer value in range from 1 to 50 (inclusive).`,
      );
    }
    return maxNumResults >= 1 && maxNumResults <= MOST_RESULTS
      ? { maxNumResults }
      : refused(
          outOfRange,
          `Integer out of range (${given}) ${field}. Accepted range is from 1 to 50 (inclusive).`,
        );
  },
});

const INCLUDE_TARGET_DATA = ["top", "all", "none"] as const;

/** `include_target_data` is `top`, `all` or `none`, in any case. Default `top`. */
export const includeTargetDataValid = check({
  name: "includeTargetDataValid",
  refusals: [invalidValue],
  test: (context: FormContext) => {
    const given = (fieldOf(context, "include_target_data")?.toString() ?? "top").toLowerCase();
    const includeTargetData = INCLUDE_TARGET_DATA.find((known) => known === given);
    if (includeTargetData !== undefined) return { includeTargetData };
    return refuse(
      invalidValue,
      cause("target-data.wrong", { given: show(given), accepted: INCLUDE_TARGET_DATA.join(", ") }),
      `Invalid value '${given}' in form data part 'include_target_data'. ` +
        "Expecting one of the (unquoted) string values 'all', 'none' or 'top'.",
    );
  },
});
