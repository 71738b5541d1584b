import { type Difference, divergence } from "./template.ts";

/** Both sides of a difference, from a little before where they part. */
export function sides({ expected, got }: Difference): readonly [expected: string, got: string] {
  const [inExpected, inGot] = divergence(expected, got);
  return [quoted(expected, inExpected), quoted(got, inGot)];
}

const LONGEST = 160;
/** How much of what is equal is shown before a difference. */
const LEAD = 40;

const quoted = (text: string, at = 0): string => {
  const start = at > LEAD && text.length > LONGEST ? at - LEAD : 0;
  const json = JSON.stringify(text.slice(start));
  const shown = `${start === 0 ? "" : "…"}${json.slice(0, LONGEST)}`;
  return json.length <= LONGEST ? shown : `${shown}… (${text.length} characters)`;
};
