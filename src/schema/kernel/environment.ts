import * as z from "zod/mini";
import { type Reading, read } from "./problems.ts";
import { deferred, kind } from "./values.ts";

/** Text that a function parses; text for which it throws is invalid. */
export const textReadBy = <T>(description: string, readText: (given: string) => T) =>
  deferred(description, () =>
    z.pipe(
      kind(description, z.string()),
      z.transform((input: string, { issues }): T => {
        try {
          return readText(input);
        } catch {
          issues.push({ code: "custom", input, message: description });
          return z.NEVER;
        }
      }),
    ),
  );

export const textMatching = (description: string, pattern: RegExp) =>
  deferred(description, () => z.string().check(z.regex(pattern)));

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

/** Reads the text of an environment variable with the schema of a value: as that text, or as the number, flag or list that it says. */
export function readText<T>(schema: z.ZodMiniType<T>, given: string): Reading<T> {
  const forms = [
    given,
    ...(/^(\d+\.?\d*|\.\d+)$/.test(given) ? [Number(given)] : []),
    FLAGS[given.toLowerCase()],
    given.split(",").map((item) => item.trim()),
  ];
  const readings = forms.map((form) => read(schema, form));
  return readings.find((reading) => "value" in reading) ?? { problems: [] };
}
