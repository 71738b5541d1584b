import type { Exchange } from "../../../http/exchange.ts";
import { guard, refuse, step } from "../../../http/guard.ts";
import { type FormPart, readForm } from "../../../http/multipart.ts";
import { show } from "../../../http/show.ts";
import { inspectQueryImage } from "../../../images/inspect.ts";
import { entityTooLarge, formText, queryFailure } from "../../../responses/query-api.ts";

/** Row 14: the boundary occurs in the body. */
export const boundaryOccurs = guard<Exchange & { boundary: string }>(
  "boundaryOccurs",
  ({ request, boundary }) =>
    request.body.includes(boundary, 0, "latin1")
      ? undefined
      : refuse(
          formText("No image."),
          `the boundary ${show(boundary)} of the Content-Type header does not occur in the body of ${request.body.length} bytes`,
        ),
);

const FIELDS = ["image", "max_num_results", "include_target_data"];

/** Row 15: only known fields, names with case. Adds the form. */
export const fieldsKnown = step<Exchange & { boundary: string }, { form: readonly FormPart[] }>(
  "fieldsKnown",
  async ({ request, boundary, profile }) => {
    const form = await readForm(request.body, boundary);
    const unknown = form.filter(({ name }) => !FIELDS.includes(name)).map(({ name }) => name);
    if (unknown.length === 0) return { form };
    return refuse(
      profile.unknownQueryField === "json"
        ? queryFailure("UnknownParameters")
        : formText("Unknown parameters in the request."),
      `the form has unknown fields (${show(unknown.join(", "))}); accepted are ${FIELDS.join(", ")}`,
    );
  },
);

/** Row 16: an image is given, as a file. Adds its bytes. */
export const imageGiven = step<Exchange & { form: readonly FormPart[] }, { image: Buffer }>(
  "imageGiven",
  ({ form }) => {
    const images = form.filter(({ name }) => name === "image");
    const file = images.find(({ isFile }) => isFile);
    if (file !== undefined) return { image: file.content };
    const found =
      images.length === 0
        ? "the form has no complete part named image"
        : "the form's part image has no filename parameter";
    return refuse(
      formText("No image."),
      `${found}; it wants Content-Disposition: form-data; name="image"; filename="<any>"`,
    );
  },
);

/** Row 17: the image opens, is a PNG or JPEG, and its sides are not too long. */
export const imageOpens = guard<Exchange & { image: Buffer }>("imageOpens", async ({ image }) => {
  const verdict = await inspectQueryImage(image);
  return verdict.ok ? undefined : refuse(queryFailure("BadImage"), verdict.reason);
});

const MOST_IMAGE_BYTES = 2_097_152;

/** Row 18: the image has at most 2 MiB. */
export const imageSmallEnough = guard<Exchange & { image: Buffer }>("imageSmallEnough", ({ image }) =>
  image.length > MOST_IMAGE_BYTES
    ? refuse(
        entityTooLarge,
        `the image has ${image.length} bytes; accepted are at most ${MOST_IMAGE_BYTES} in a query`,
      )
    : undefined,
);
