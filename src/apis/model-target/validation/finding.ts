import { show } from "../../../http/show.ts";

/** One thing wrong with a dataset request: as the service words it, and what to change. */
export interface Finding {
  readonly message: string;
  readonly reason: string;
}

const TYPES = {
  jsstring: "a string",
  jsarray: "an array",
  jsobject: "an object",
  jsnumber: "a number",
} as const;

export const missing = (path: string): Finding => ({
  message: `${path}: element is required`,
  reason: `${path} is missing`,
});

export const expected = (path: string, type: keyof typeof TYPES, value: unknown): Finding => ({
  message: `${path}: error.expected.${type}`,
  reason: `${path} must be ${TYPES[type]}, got ${show(value)}`,
});

const SHOWN_FINDINGS = 5;

/** The first findings in words. */
export function reasonFor(findings: readonly Finding[]): string {
  const shown = findings.slice(0, SHOWN_FINDINGS).map(({ reason }) => reason);
  const more = findings.length - shown.length;
  return more === 0 ? shown.join("; ") : `${shown.join("; ")}; and ${more} more`;
}
