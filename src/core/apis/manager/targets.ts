import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import type { JsonObject } from "../../general/json.ts";
import { show } from "../../general/text.ts";
import { inspectTargetImage } from "../../images/on-demand.ts";
import { decodeServiceBase64 } from "../../schema/base64.ts";
import { cause, sentenceOf } from "../../schema/causes/causes.ts";
import { newTemplateTarget, postedTemplateTarget, templateTargetJson } from "../../schema/database.ts";
import { ratingAt } from "../../schema/processing.ts";
import {
  type NewImage,
  postedCounts,
  postedTarget,
  putTarget,
  type Target,
  type TargetView,
  targetJson,
} from "../../schema/target.ts";
import * as changes from "../../store/changes.ts";
import {
  anyRequest,
  bodyAccepted,
  bodyMatching,
  knownDatabase,
  knownTarget,
  knownTargetToDelete,
  unknownDatabase,
  unknownTarget,
} from "./checks.ts";
import {
  addedWith,
  conflict,
  doneWith,
  type FieldError,
  taken,
  unknown,
  unknownToDelete,
} from "./responses.ts";

export const targetViewAt = async (target: Target, now: number): Promise<TargetView> => ({
  ...target,
  image: await target.image.bytes(),
  trackingRating: ratingAt(target, now),
  recoRating: "",
});

const TARGETS = "/cloud_databases/{database_name}/targets";
const TARGET = `${TARGETS}/{target_id}`;

const targetAdded = addedWith(targetJson);
const targetShown = doneWith(targetJson);

/** The manager accepts the images that the target API accepts. Adds a given one, measured, to the context. */
const imageIn =
  (field: string) =>
  async (body: JsonObject): Promise<readonly FieldError[] | { readonly image?: NewImage }> => {
    const text = body[field];
    const bytes = typeof text === "string" ? decodeServiceBase64(text) : undefined;
    const verdict = bytes && (await inspectTargetImage(bytes));
    if (verdict === undefined) return {};
    if (verdict.ok) return { image: verdict.image };
    const accepted = "base64 of an image that POST /targets of the target API accepts";
    return [{ field, message: `${field}: ${sentenceOf(verdict.cause)}`, accepted }];
  };

const nameTaken = (name: string | undefined) =>
  conflict(cause("name.taken", { name: show(name), isManager: true }));

const newTarget = bodyMatching(postedTarget.schema);

const addTarget = operation({
  name: "manager.addTarget",
  method: "POST",
  path: TARGETS,
  summary: "Adds a target without a signed request.",
  body: newTarget,
  checks: anyRequest.and(knownDatabase("cloud")).and(bodyAccepted(newTarget, imageIn("image_base64"))),
  responses: [targetAdded, unknown, taken],
  handle: async (context) => {
    const { database, given, services, now, preciseNow } = context;
    const target = { ...given, image: context.image ?? { bytes: Buffer.from(given.image) } };
    const adding = changes.createTarget(services, database.databaseName, target, preciseNow);
    const created = await services.store.run(adding);
    switch (created) {
      case "unknownDatabase":
        return unknownDatabase(context, "cloud");
      case "nameTaken":
        return nameTaken(given.name);
      case "idTaken":
        return conflict(cause("target-id.taken", { id: show(given.targetId) }));
      case "quotaReached":
        return conflict(cause("quota.targets", { quota: database.targetQuota, isManager: true }));
      default:
        return ok(targetAdded, await targetViewAt(created, now));
    }
  },
});

const targetChanges = bodyMatching(putTarget.schema);

const updateTarget = operation({
  name: "manager.updateTarget",
  method: "PUT",
  path: TARGET,
  summary: "Changes the given fields of a target, whatever its status.",
  body: targetChanges,
  checks: anyRequest
    .and(knownDatabase("cloud"))
    .and(knownTarget)
    .and(bodyAccepted(targetChanges, imageIn("image"))),
  responses: [targetShown, unknown, taken],
  handle: async (context) => {
    const { database, target, services, now } = context;
    const { image: _measured, ...given } = context.given;
    const updated = await services.store.run(
      changes.updateTarget(
        database.databaseName,
        target.targetId,
        { ...given, ...(context.image && { image: context.image }) },
        now,
      ),
    );
    if (updated === "nameTaken") return nameTaken(given.name);
    if (typeof updated === "string") return unknownTarget(context);
    return ok(targetShown, await targetViewAt(updated, now));
  },
});

const deleteTarget = operation({
  name: "manager.deleteTarget",
  method: "DELETE",
  path: TARGET,
  summary: "Deletes a target, whatever its status.",
  checks: anyRequest.and(knownDatabase("cloud", unknownToDelete)).and(knownTargetToDelete),
  responses: [targetShown, unknownToDelete],
  handle: async (context) => {
    const { database, target, services, now } = context;
    const deleted = await services.store.run(
      changes.deleteTarget(database.databaseName, target.targetId, now, true),
    );
    if (typeof deleted === "string") return unknownTarget(context, unknownToDelete);
    return ok(targetShown, await targetViewAt(deleted, now));
  },
});

const counts = bodyMatching(postedCounts.schema);

const setRecognitionCounts = operation({
  name: "manager.setRecognitionCounts",
  method: "POST",
  path: `${TARGET}/recognition_counts`,
  summary: "Sets a target's recognition counts.",
  body: counts,
  checks: anyRequest.and(knownDatabase("cloud")).and(knownTarget).and(bodyAccepted(counts)),
  responses: [targetShown, unknown],
  handle: async (context) => {
    const { database, target, given, services, now } = context;
    const counted = await services.store.run(
      changes.setRecognitionCounts(database.databaseName, target.targetId, given),
    );
    if (counted === undefined) return unknownTarget(context);
    return ok(targetShown, await targetViewAt(counted, now));
  },
});

const newVuMarkTarget = bodyMatching(postedTemplateTarget.schema);
const templateTargetAdded = addedWith(templateTargetJson);

export const addVuMarkTarget = operation({
  name: "manager.addVuMarkTarget",
  method: "POST",
  path: "/vumark_databases/{database_name}/vumark_targets",
  summary: "Adds a template target, or replaces the one with its id.",
  body: newVuMarkTarget,
  checks: anyRequest.and(knownDatabase("vumark")).and(bodyAccepted(newVuMarkTarget)),
  responses: [templateTargetAdded, unknown],
  handle: async (context) => {
    const { database, given, services, random, now } = context;
    const target = newTemplateTarget(given, random, now);
    const anotherId = given.targetId === undefined ? () => random.hex(32) : undefined;
    const added = await services.store.run(
      changes.addTemplateTarget(database.databaseName, target, anotherId),
    );
    return added === undefined ? unknownDatabase(context, "vumark") : ok(templateTargetAdded, added);
  },
});

export const targetRoutes = [addTarget, updateTarget, deleteTarget, setRecognitionCounts];
