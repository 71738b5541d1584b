import type { JsonObject } from "../../core/json.ts";
import { operation } from "../../core/operation.ts";
import { type DeclaredResponse, ok } from "../../core/response.ts";
import { show } from "../../core/text.ts";
import { inspectTargetImage } from "../../images/inspect.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import {
  postedCounts,
  postedTarget,
  putTarget,
  ratingAt,
  type Target,
  type TargetView,
  targetJson,
} from "../../schema/target.ts";
import type { ApiContext } from "../shared/services.ts";
import {
  anyRequest,
  bodyAccepted,
  knownCloudDatabase,
  knownCloudDatabaseToDelete,
  knownTarget,
  knownTargetToDelete,
  unknownDatabase,
  unknownTarget,
} from "./checks.ts";
import { added, conflict, done, type FieldError, taken, unknown, unknownToDelete } from "./responses.ts";

/** A target as it is shown at a moment. */
export const targetViewAt = async (target: Target, now: number): Promise<TargetView> => ({
  ...target,
  image: await target.image.bytes(),
  trackingRating: ratingAt(target, now),
  recoRating: "",
});

const targetReply = async (call: ApiContext, declared: DeclaredResponse, target: Target) =>
  ok(declared, targetJson.write(await targetViewAt(target, call.now)));

const TARGETS = "/cloud_databases/{database_name}/targets";
const TARGET = `${TARGETS}/{target_id}`;

/** An image that the target API would refuse is refused here too. */
const imageIn =
  (field: string) =>
  async (body: JsonObject): Promise<readonly FieldError[]> => {
    const text = body[field];
    const image = typeof text === "string" ? decodeServiceBase64(text) : undefined;
    const verdict = image && (await inspectTargetImage(image));
    if (verdict === undefined || verdict.ok) return [];
    const accepted = "base64 of an image that POST /targets of the target API accepts";
    return [{ field, message: `${field}: ${verdict.reason}`, accepted }];
  };

const nameTaken = (name: string | undefined) =>
  conflict(`There is already a target with the name ${show(name)} in the database.`);

export const addTarget = operation({
  name: "manager.addTarget",
  method: "POST",
  path: TARGETS,
  summary: "Adds a target, without a signature.",
  checks: anyRequest.row(knownCloudDatabase).row(bodyAccepted(postedTarget.schema, imageIn("image_base64"))),
  responses: [added, unknown, taken],
  handle: async (call) => {
    const { database, given, services, random, now } = call;
    const id = given.targetId ?? random.hex(32);
    const { processingTimeSeconds = services.settings.processingTimeSeconds } = given;
    const created = await services.store.createTarget(
      database.databaseName,
      { ...given, image: Buffer.from(given.image), targetId: id, processingTimeSeconds },
      now,
    );
    switch (created) {
      case "unknownDatabase":
        return unknownDatabase(call, "cloud database");
      case "nameTaken":
        return nameTaken(given.name);
      case "idTaken":
        return conflict(`There is, or was, already a target with the id ${show(id)} in the database.`);
      case "quotaReached":
        return conflict(`The database holds as many targets as its target_quota, ${database.targetQuota}.`);
      default:
        return await targetReply(call, added, created);
    }
  },
});

export const updateTarget = operation({
  name: "manager.updateTarget",
  method: "PUT",
  path: TARGET,
  summary: "Changes what is given of a target, in whatever state it is.",
  checks: anyRequest
    .row(knownCloudDatabase)
    .row(knownTarget)
    .row(bodyAccepted(putTarget.schema, imageIn("image"))),
  responses: [done, unknown, taken],
  handle: async (call) => {
    const { database, target, services, now } = call;
    const { image, ...given } = call.given;
    const inAnyState = ["processing", "success", "failed"] as const;
    const updated = await services.store.updateTarget(
      database.databaseName,
      target.targetId,
      image === undefined ? given : { ...given, image: Buffer.from(image) },
      now,
      inAnyState,
    );
    if (updated === "nameTaken") return nameTaken(given.name);
    return typeof updated === "string" ? unknownTarget(call) : await targetReply(call, done, updated);
  },
});

export const deleteTarget = operation({
  name: "manager.deleteTarget",
  method: "DELETE",
  path: TARGET,
  summary: "Deletes a target, in whatever state it is.",
  checks: anyRequest.row(knownCloudDatabaseToDelete).row(knownTargetToDelete),
  responses: [done, unknownToDelete],
  handle: async (call) => {
    const { database, target, services, now } = call;
    const deleted = await services.store.deleteTarget(database.databaseName, target.targetId, now, true);
    return typeof deleted === "string"
      ? unknownTarget(call, unknownToDelete)
      : await targetReply(call, done, deleted);
  },
});

export const setRecognitionCounts = operation({
  name: "manager.setRecognitionCounts",
  method: "POST",
  path: `${TARGET}/recognition_counts`,
  summary: "Sets recognition counts of a target.",
  checks: anyRequest.row(knownCloudDatabase).row(knownTarget).row(bodyAccepted(postedCounts.schema)),
  responses: [done, unknown],
  handle: async (call) => {
    const { database, target, given, services } = call;
    const counted = await services.store.setRecognitionCounts(database.databaseName, target.targetId, given);
    return counted === undefined ? unknownTarget(call) : await targetReply(call, done, counted);
  },
});
