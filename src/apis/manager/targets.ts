import { decodeServiceBase64 } from "../../domain/service-base64.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { JsonObject } from "../../http/request-body.ts";
import { show } from "../../http/show.ts";
import { inspectTargetImage } from "../../images/inspect.ts";
import { jsonReply } from "../../responses/plain.ts";
import type { FieldError } from "./fields.ts";
import {
  anyRequest,
  bodyAccepted,
  conflict,
  knownCloudDatabase,
  knownTarget,
  unknownDatabase,
  unknownTarget,
} from "./guards.ts";
import {
  readNewTarget,
  readRecognitionCounts,
  readTargetChanges,
  targetResource,
} from "./target-resource.ts";

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

/** `POST /cloud_databases/{database_name}/targets`: adds a target without signing. Protocol section 10. */
export const addTarget = endpoint(
  "manager.addTarget",
  "POST",
  TARGETS,
  anyRequest.adding(knownCloudDatabase).adding(bodyAccepted(readNewTarget, imageIn("image_base64"))),
  async (call) => {
    const { database, given, services, random, now } = call;
    const id = given.id ?? random.hex(32);
    const { processingTimeSeconds = services.settings.processingTimeSeconds } = given;
    const created = await services.store.createTarget(
      database.name,
      { ...given, id, processingTimeSeconds },
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
        return jsonReply(call, 201, await targetResource(created, now));
    }
  },
);

/** `PUT …/targets/{target_id}`: changes what is given, in any state, and starts processing again. Protocol section 10. */
export const updateTarget = endpoint(
  "manager.updateTarget",
  "PUT",
  TARGET,
  anyRequest
    .adding(knownCloudDatabase)
    .adding(knownTarget)
    .adding(bodyAccepted(readTargetChanges, imageIn("image"))),
  async (call) => {
    const { database, target, given, services, now } = call;
    const inAnyState = ["processing", "success", "failed"] as const;
    const updated = await services.store.updateTarget(database.name, target.id, given, now, inAnyState);
    if (updated === "nameTaken") return nameTaken(given.name);
    return typeof updated === "string"
      ? unknownTarget(call)
      : jsonReply(call, 200, await targetResource(updated, now));
  },
);

/** `DELETE …/targets/{target_id}`: whatever the target's state. Protocol section 10. */
export const deleteTarget = endpoint(
  "manager.deleteTarget",
  "DELETE",
  TARGET,
  anyRequest.adding(knownCloudDatabase).adding(knownTarget),
  async (call) => {
    const { database, target, services, now } = call;
    const deleted = await services.store.deleteTarget(database.name, target.id, now, true);
    return typeof deleted === "string"
      ? unknownTarget(call)
      : jsonReply(call, 200, await targetResource(deleted, now));
  },
);

/** `POST …/recognition_counts`: sets the counts that are given; nothing else changes. Protocol section 10. */
export const setRecognitionCounts = endpoint(
  "manager.setRecognitionCounts",
  "POST",
  `${TARGET}/recognition_counts`,
  anyRequest.adding(knownCloudDatabase).adding(knownTarget).adding(bodyAccepted(readRecognitionCounts)),
  async (call) => {
    const { database, target, given, services, now } = call;
    const counted = await services.store.setRecognitionCounts(database.name, target.id, given);
    return counted === undefined
      ? unknownTarget(call)
      : jsonReply(call, 200, await targetResource(counted, now));
  },
);
