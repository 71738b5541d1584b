import type * as z from "zod/mini";
import type { Target, TargetImage, TargetRecord } from "../schema/target.ts";
import { nameAt, type Problem, read } from "../schema/zod/problems.ts";
import { freedImage, withoutContent } from "./records.ts";

/*
 * Converts records to JSON and back, without loss, for snapshots and for Redis. Every record is plain
 * data, except for a target's image, which is named by its hash and kept or sent separately.
 */

export const encodeTarget = (target: Target): TargetRecord => ({
  ...target,
  image: target.image.sha256,
});

/** @param imageOf - finds or loads the image with that SHA-256. */
export const decodeTarget = (record: TargetRecord, imageOf: (sha256: string) => TargetImage): Target =>
  record.deleteDate === null
    ? { ...record, image: imageOf(record.image) }
    : withoutContent({ ...record, image: freedImage(record.image) });

/** Describes the first problem with a named value. Never shows text, which may be a secret. */
export function firstProblem(name: string, [first]: readonly Problem[]): string {
  if (first === undefined) return "";
  const { path, given = "nothing", expected } = first;
  return `${nameAt(name, path)}: expected ${expected}; got ${given.startsWith('"') ? "other text" : given}`;
}

/**
 * Validates a value with a schema.
 *
 * @param name - the value's name in messages.
 * @throws TypeError that describes the first problem.
 */
export function decoded<T>(schema: z.ZodMiniType<T>, value: unknown, name: string): T {
  const reading = read(schema, value);
  if ("value" in reading) return reading.value;
  throw new TypeError(firstProblem(name, reading.problems));
}
