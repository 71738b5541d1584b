import type { Random } from "../core/random.ts";
import { inspectTargetImage } from "../images/inspect.ts";
import { checked } from "../schema/kernel/problems.ts";
import { type TargetFields, targetFields } from "../schema/target.ts";
import type { NewTarget } from "../store/store.ts";

/**
 * The record to store for given fields.
 *
 * @param prepares - whether the image will be compared by structural similarity.
 * @throws InvalidOptionError naming a field that is not accepted; Error when the target API would refuse the image.
 */
export async function newTargetFromFields(
  fields: TargetFields,
  processingTimeSeconds: number,
  random: Random,
  prepares: boolean,
): Promise<NewTarget> {
  const given = checked("target", targetFields, fields);
  const image = Buffer.from(given.image);
  const verdict = await inspectTargetImage(image, prepares);
  if (!verdict.ok) throw new Error(`target.image is refused with ${verdict.resultCode}: ${verdict.reason}`);
  const { targetId = random.hex(32), applicationMetadata: metadata = null } = given;
  return {
    targetId,
    name: given.name ?? targetId,
    image,
    width: given.width ?? 1,
    activeFlag: given.activeFlag ?? true,
    applicationMetadata: metadata instanceof Uint8Array ? Buffer.from(metadata).toString("base64") : metadata,
    processingTimeSeconds,
    processed: given.processed ?? false,
  };
}

/** Why a store did not take a target, in words. */
export function notAdded(
  databaseName: string,
  { targetId: id, name }: NewTarget,
  problem: "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached",
): Error {
  const problems = {
    unknownDatabase: `the mock has no database "${databaseName}"`,
    nameTaken: `the database has a target with the name ${JSON.stringify(name)} already`,
    idTaken: `the database has, or had, a target with the id ${JSON.stringify(id)} already`,
    quotaReached: "the database holds as many targets as its targetQuota allows",
  };
  return new Error(problems[problem]);
}
