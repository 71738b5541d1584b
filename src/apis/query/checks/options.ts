import type { Exchange } from "../../../http/exchange.ts";
import { refuse, step } from "../../../http/guard.ts";
import type { FormPart } from "../../../http/multipart.ts";
import { show } from "../../../http/show.ts";
import { formText } from "../../../responses/query-api.ts";

type Context = Exchange & { form: readonly FormPart[] };

/** The bytes of a field's first part; file parts do not count. */
function fieldOf({ form }: Context, name: string): Buffer | undefined {
  return form.find((part) => part.name === name && !part.isFile)?.content;
}

const LARGEST_INTEGER = 2_147_483_647;
const MOST_RESULTS = 50;

/** Row 19: `max_num_results` is a whole number from 1 to 50; 1 when it is not given. */
export const maxNumResultsValid = step<Context, { maxNumResults: number }>(
  "maxNumResultsValid",
  (context) => {
    const content = fieldOf(context, "max_num_results");
    if (content === undefined) return { maxNumResults: 1 };
    // One character per byte: the texts show the very bytes that were sent.
    const given = content.toString("latin1");
    const refused = (text: string) =>
      refuse(
        formText(Buffer.from(text, "latin1")),
        `max_num_results is ${show(content.toString())}; accepted are whole numbers from 1 to ${MOST_RESULTS}`,
      );
    const maxNumResults = /^ *[+-]?\d+ *$/.test(given) ? Number(given) : Number.NaN;
    const field = "in form data part 'max_result'";
    if (Number.isNaN(maxNumResults) || maxNumResults > LARGEST_INTEGER) {
      return refused(
        `Invalid value '${given}' ${field}. Expecting integer value in range from 1 to 50 (inclusive).`,
      );
    }
    return maxNumResults >= 1 && maxNumResults <= MOST_RESULTS
      ? { maxNumResults }
      : refused(`Integer out of range (${given}) ${field}. Accepted range is from 1 to 50 (inclusive).`);
  },
);

const INCLUDE_TARGET_DATA = ["top", "all", "none"] as const;
/** Which results carry their target's data. */
export type IncludeTargetData = (typeof INCLUDE_TARGET_DATA)[number];

/** Row 20: `include_target_data` is `top`, `all` or `none`, in any case; `top` when it is not given. */
export const includeTargetDataValid = step<Context, { includeTargetData: IncludeTargetData }>(
  "includeTargetDataValid",
  (context) => {
    const given = (fieldOf(context, "include_target_data")?.toString() ?? "top").toLowerCase();
    const includeTargetData = INCLUDE_TARGET_DATA.find((accepted) => accepted === given);
    if (includeTargetData !== undefined) return { includeTargetData };
    return refuse(
      formText(
        `Invalid value '${given}' in form data part 'include_target_data'. ` +
          "Expecting one of the (unquoted) string values 'all', 'none' or 'top'.",
      ),
      `include_target_data is ${show(given)}; accepted are ${INCLUDE_TARGET_DATA.join(", ")}, in any case`,
    );
  },
);
