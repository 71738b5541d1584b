import { refusal, remark } from "./row.ts";
import { orMore, unset } from "./words.ts";

const DISPOSITION = 'Content-Disposition: form-data; name="image"; filename="<any>"';

const BODIES = {
  empty: "empty",
  PNG: "a PNG picture itself",
  JPEG: "a JPEG picture itself",
  unset: "the text of a value that was not set",
  json: "JSON",
  encoded: "a URL-encoded form, which holds no files",
  base64: "base64",
} as const;
export type BodyFormat = keyof typeof BODIES;

const FIELDS = "image, max_num_results, include_target_data";

/** Follows a sentence about a target that is still processing, for tests. */
export const FINISH_ADVICE = "; finishProcessing() ends it at once";

const ADVICE_TO_FINISH = "await the add, then call mock.finishProcessing() or advance the clock";

/** The form of a query, what it says of each target, and remarks on answers. */
export const queryCauses = {
  "boundary.absent": refusal<{
    readonly boundary: string;
    readonly bytes: number;
    /** The boundary with which the body begins. */
    readonly found?: string;
  }>(
    "The boundary of the Content-Type header does not occur in the body.",
    ({ boundary, bytes, found }) =>
      "send the Content-Type header that the client's form encoder sets: " +
      (found === undefined ? "" : `the body's boundary is ${found}; `) +
      `the boundary ${boundary} of the Content-Type header does not occur in the body of ${bytes} bytes`,
    "Let the client's form encoder set the Content-Type header: it knows the boundary that it writes.",
    "POST /v1/query\nContent-Type: multipart/form-data; boundary=another",
  ),
  "form.missing": refusal<{ readonly is: BodyFormat; readonly bytes: number }>(
    "The body is no form.",
    ({ is, bytes }) =>
      `send a form with the picture as its file image: the body of ${bytes} bytes is ${BODIES[is]}`,
    "Send a form (multipart/form-data) with the picture as its file `image`.",
    "POST /v1/query with the bytes of a picture as the body",
  ),
  "form.delimiter": refusal<{ readonly given: string; readonly expected: string }>(
    "The form's delimiters have too many dashes, or too few.",
    ({ given, expected }) =>
      `begin each delimiter with two dashes and the boundary of the Content-Type header: expected ${expected}; got ${given}`,
    "Begin each delimiter with two dashes more than the boundary of the Content-Type header has.",
    "POST /v1/query with delimiters that lack the two dashes",
  ),
  "form.line-ends": refusal<{ readonly are: "LF" | "CR" }>(
    "The lines of the form do not end with CRLF.",
    ({ are }) =>
      `end each line of the form with CRLF ("\\r\\n"): its delimiters or headers end with ${are} only`,
    "End each delimiter and header of the form with CRLF, or let a form encoder write the body.",
    "POST /v1/query with a form whose lines end with a line feed",
  ),
  "form.blank-line": refusal<{ readonly after: string }>(
    "No empty line follows the headers of a part of the form.",
    ({ after }) =>
      `write an empty line (CRLF CRLF) between a part's headers and its content: after ${after}, there is none`,
    "Write an empty line between the headers of a part and its content.",
    "POST /v1/query with a part whose content follows its headers at once",
  ),
  "form.disposition": refusal<{ readonly given?: string }>(
    "A part of the form has no Content-Disposition header of form-data.",
    ({ given }) =>
      given === undefined
        ? `begin each part with ${DISPOSITION}: a part of the form has no Content-Disposition header, or the body ends within it`
        : `begin each part with ${DISPOSITION}: a part of the form has no Content-Disposition header of form-data; got ${given}`,
    "Let a form encoder write the body.",
    "POST /v1/query with a part that has no Content-Disposition header",
  ),
  "form.parts": refusal<{ readonly most: number }>(
    "The form has too many parts.",
    ({ most }) =>
      `send each field once: the form has more than ${most} parts; expected at most one of each of ${FIELDS}`,
    "Send each field once.",
    "POST /v1/query with 1,000 parts",
  ),
  "form.fields": refusal<{
    readonly fields: string;
    readonly meant?: string;
    /** Whether a part has no name. */
    readonly isUnnamed?: boolean;
  }>(
    "The form has unknown fields.",
    ({ fields, meant, isUnnamed }) =>
      (isUnnamed === true
        ? `begin each part with ${DISPOSITION}: a part has no name; `
        : `${meant === undefined ? "remove the unknown fields" : `write ${meant}`}: `) +
      `the form has unknown fields (${fields}); expected only ${FIELDS}`,
    "Remove the unknown fields, or correct their names.",
    "POST /v1/query\n\nmaxNumResults=1",
  ),
  "image.missing": refusal(
    "The form has no image.",
    () => `append the image to the form: it has no complete part named image; expected ${DISPOSITION}`,
    "Append the image to the form as the field `image`.",
    "POST /v1/query without an image",
  ),
  "image.no-file": refusal<{ readonly text?: string; readonly isBytes?: boolean }>(
    "The form's image is no file.",
    ({ text, isBytes }) =>
      isBytes === true
        ? "append the image as a Blob and a file name: the form's part image is bytes written as text"
        : text !== undefined
          ? `${unset("the image", text)}; append it as a Blob and a file name`
          : `append the image with a file name: the form's part image has no filename parameter; expected ${DISPOSITION}`,
    "Append the image as a file: a Blob and a file name.",
    "POST /v1/query with an image that has no file name",
  ),
  "image.cut-off": refusal<{ readonly bytes: number }>(
    "The body ends within the image.",
    ({ bytes }) => `send the whole form: the body ends within the image, after ${bytes} bytes of it`,
    "Send the whole form, with its last boundary.",
    "POST /v1/query with a body that ends within the image",
  ),
  "max-results.wrong": refusal<{ readonly given: string; readonly most: number }>(
    "max_num_results is not a number from 1 to 50.",
    ({ given, most }) => `send max_num_results as a whole number from 1 to ${most}: got ${given}`,
    "Send a whole number from 1 to 50.",
    "POST /v1/query\n\nmax_num_results=0",
  ),
  "target-data.wrong": refusal<{ readonly given: string; readonly accepted: string }>(
    "include_target_data is another value.",
    ({ given, accepted }) => `send include_target_data as one of ${accepted}, in any case: got ${given}`,
    "Send top, all or none.",
    "POST /v1/query\n\ninclude_target_data=some",
  ),
  "target.matched": remark<{ readonly place: string }>(
    "The query found the target.",
    ({ place }) => `matched: ${place}`,
    "Nothing: the query found the target.",
    "POST /v1/query with the image of a target",
  ),
  "target.beyond": remark<{ readonly place?: string; readonly most: number }>(
    "The target matched, but max_num_results cut it off.",
    ({ place, most }) => `${place === undefined ? "" : `${place}, `}cut off by max_num_results ${most}`,
    "Send a larger max_num_results.",
    "POST /v1/query with an image that two targets match",
  ),
  "target.unlike": remark<{
    readonly score?: number;
    readonly threshold?: number;
    readonly why?: string | undefined;
    readonly advice?: string;
  }>(
    "The target looks different.",
    ({ score, threshold, why, advice = "" }) => {
      if (why !== undefined) return `no match: ${why}`;
      return score === undefined
        ? "no match"
        : `no match: score ${score}, must be above ${threshold}${advice}`;
    },
    "Query with a picture of the target; to find it in photographs, use a matcher that recognises them.",
    "POST /v1/query with another picture than the target's",
  ),
  "target.not-compared": remark<{ readonly certain: number } | { readonly undecoded: "query" | "target" }>(
    "The target was not compared: others are nearer, or a picture cannot be decoded.",
    (facts) =>
      "undecoded" in facts
        ? `not compared: send a PNG or JPEG; the mock cannot decode the ${facts.undecoded}'s picture`
        : `not compared: ${facts.certain} other targets are nearer in any case`,
    "Nothing, if other targets are nearer: send a larger max_num_results to see more. Otherwise, send a picture that can be decoded.",
    "POST /v1/query with an image that many targets match",
  ),
  "target.unscored": remark(
    "The matcher returned no match for the target.",
    () => "no score: the matcher found no match",
    "Query with an image that the matcher finds.",
    "POST /v1/query of a mock whose own matcher does not return the target",
  ),
  "target.waiting": remark<{ readonly seconds?: number }>(
    "The target is still processing, so no query finds it.",
    ({ seconds }) => `still processing${seconds === undefined ? "" : `, for ${seconds} s more`}`,
    "Wait until the target is processed: in a test, advance the clock or call `finishProcessing()`.",
    "POST /v1/query with the image of a target that was just added",
  ),
  "target.inactive": remark(
    "The target is inactive, so no query finds it.",
    () => "inactive: its active_flag is false",
    "Set the target's active_flag to true.",
    "POST /v1/query with the image of an inactive target",
  ),
  "target.failed": remark(
    "The target's processing failed, so no query finds it.",
    () => 'failed: the image has only one colour, or nearly so (unless it was added with status: "failed")',
    "Add the target with an image that has more than one colour.",
    "GET /targets/{id} of a target whose image has one colour",
  ),
  "target.unrated": remark<{ readonly rating: number; readonly advice?: string }>(
    "The target is rated 0, or not rated yet, so no query finds it.",
    ({ rating, advice = "" }) => `tracking rating ${rating}; expected above 0${advice}`,
    "Add the target with an image that is rated above 0, or with another rater.",
    "POST /v1/query with the image of a target that is rated 0",
  ),
  "query-string.ignored": remark<{ readonly given: string }>(
    "The URL has a query string, which the service ignores.",
    ({ given }) => `send parameters in the body, or leave them out: the query string ${given} is ignored`,
    "Send the parameters of a query as fields of its form; the target API has none.",
    "GET /targets?page=2",
  ),
  "picture.unreadable": remark<{ readonly why: string }>(
    "The query's picture opens, but cannot be decoded, so nothing matches.",
    ({ why }) => why,
    "Send a picture that can be decoded: smaller, and undamaged.",
    "POST /v1/query with a PNG that declares more pixels than are decoded",
  ),
  "picture.line-ends": remark(
    "The JPEG opens, but its line ends seem to be converted, which changes what it shows.",
    () =>
      'write "*.jpg binary" to .gitattributes, and add the file again: each line feed of the JPEG follows a carriage return, as if its line ends were converted',
    "Mark pictures as binary in `.gitattributes`, and add the file again.",
    "POST /targets with a JPEG that a checkout on Windows changed",
  ),
  "gzip.unasked": remark<{ readonly advice: string }>(
    "The response is gzip, which the client did not ask for.",
    ({ advice }) =>
      `decode the response, or ${advice}: it is gzip-encoded although the request does not accept gzip`,
    "Decode the response, as clients for the real service must, or turn the encoding off.",
    "POST /v1/query\nAccept-Encoding: identity",
  ),
  "duplicates.passed-over": remark<{ readonly processing: number; readonly inactive: number }>(
    "Some targets were not compared.",
    ({ processing, inactive }) => {
      const what = (count: number, words: string) =>
        count === 0 ? [] : [`${count} ${orMore(count, "is", "are")} ${words}`];
      return `wait until all targets are processed, or activate them: of the others, ${[
        ...what(processing, "still processing, and compared only when that is over"),
        ...what(inactive, "inactive, and not compared"),
      ].join("; ")}`;
    },
    "Wait until the other targets are processed, and activate them.",
    "GET /duplicates/{id} while another target is processing",
  ),
  "status.processing": remark(
    "The answer is that of a target that is still processing.",
    () => `${ADVICE_TO_FINISH}: the target is still processing, so its tracking_rating is -1`,
    "Await the add, then advance the clock or call `finishProcessing()`.",
    "GET /targets/{id} of a target that was just added, in a test that fails",
  ),
  "summary.processing": remark<{ readonly targets: number }>(
    "The summary does not count targets that are still processing as active.",
    ({ targets }) =>
      `${ADVICE_TO_FINISH}: ${targets === 1 ? "1 target is" : `${targets} targets are`} still processing, and not counted as active`,
    "Await the add, then advance the clock or call `finishProcessing()`.",
    "GET /summary while a target is processing, in a test that fails",
  ),
  "counts.unset": remark<{ readonly by: string }>(
    "The recognition counts are 0: queries never change them.",
    ({ by }) => `set the recognition counts with ${by}: queries never change them`,
    "Set the counts: queries never change them.",
    "GET /summary after a query found a target, in a test that fails",
  ),
  "results.fewer": remark<{ readonly matched: number; readonly results: number }>(
    "More targets match than the query asked for.",
    ({ matched, results }) => `send a larger max_num_results than ${results}: ${matched} targets match`,
    "Send a larger max_num_results.",
    "POST /v1/query with an image that two targets match, in a test that fails",
  ),
  "results.data": remark(
    "Only the first result has target_data.",
    () => "send include_target_data=all: only the first result has target_data",
    "Send include_target_data=all.",
    "POST /v1/query with max_num_results=2 and an image that two targets match, in a test that fails",
  ),
};
