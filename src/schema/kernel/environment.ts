import * as z from "zod/mini";
import { deferred, kind, seconds, wholeNumberFrom, wordsOf } from "./values.ts";

/** Text that a function parses; text for which it throws is invalid. */
export const textReadBy = <T>(description: string, readText: (given: string) => T) =>
  kind(
    description,
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

/** A number in an environment variable. */
const numberIn = (number: z.ZodMiniType<number>) => {
  const description = wordsOf(number);
  return deferred(description, () => {
    const digits = z.string().check(z.regex(/^(\d+\.?\d*|\.\d+)$/));
    return z.pipe(
      z.pipe(kind(description, digits), z.transform(Number)),
      number as z.ZodMiniType<number, number>,
    );
  });
};
export const secondsIn = numberIn(seconds);
export const countIn = numberIn(wholeNumberFrom(0));
export const countFromOneIn = numberIn(wholeNumberFrom(1));
export const portIn = numberIn(wholeNumberFrom(0, 65535));

export const flagIn = deferred("true, false, 1, 0, yes or no", () =>
  z.stringbool({ truthy: ["true", "1", "yes"], falsy: ["false", "0", "no"] }),
);
