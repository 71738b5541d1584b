import {
  clock,
  cloudDatabase,
  cloudKeys,
  counts,
  credential,
  databaseSettings,
  dataset,
  keys,
  request,
  snapshot,
  stateName,
  target,
  templateTarget,
  vuMarkDatabase,
} from "./manager-resources.ts";
import {
  constant,
  described,
  flag,
  type JsonSchema,
  listOf,
  moment,
  object,
  openObject,
  orNull,
  seconds,
  someText,
  text,
  wholeNumber,
} from "./schema.ts";
import type { ApiDescription, Description, Refusals, Variant } from "./variant.ts";

/** Section 10 of the protocol. */
export function managerApi(): ApiDescription {
  return {
    title: "Target manager",
    operations,
    refusals,
    security: () => null,
  };
}

const HEADERS = ["Content-Length", "Date"];
const json = (status: number, schema: JsonSchema): Variant => ({
  status,
  description: status === 201 ? "Added." : "Done.",
  headers: HEADERS,
  contentType: "application/json",
  schema,
});
const empty = (status: number, description = "Done (empty body)."): Variant => ({
  status,
  description,
  headers: HEADERS,
});
const line = (status: number, description: string): Variant => ({
  status,
  description,
  headers: HEADERS,
  contentType: "text/plain",
  schema: text,
});
const unknown: Variant = line(404, "What the path names does not exist; the body is empty to DELETE.");
const emptyUnknown: Variant = empty(404, "What the path names does not exist (empty body).");
const taken = line(409, "A key, a name or an id is taken, or the quota is reached; the body says which.");

const healthy = json(200, object({ status: constant("ok") }));
const body = (schema: JsonSchema) => ({ body: { contentType: "application/json", schema } });
const width: JsonSchema = { type: "number", exclusiveMinimum: 0, description: "In scene units." };
const image = described(text, "Base64 of an image that the target API accepts.");
const targetOptions = { active_flag: flag, application_metadata: orNull(text) };

const operations: Readonly<Record<string, Description>> = {
  "manager.listCloudDatabases": {
    summary: "Lists the cloud databases, with all their targets.",
    responses: [json(200, listOf(cloudDatabase))],
  },
  "manager.addCloudDatabase": {
    summary: "Adds a cloud database; what is not given is generated.",
    ...body(
      openObject(
        {},
        {
          ...cloudKeys,
          ...databaseSettings,
        },
      ),
    ),
    responses: [json(201, cloudDatabase), taken],
  },
  "manager.deleteCloudDatabase": {
    summary: "Deletes a cloud database and all that belongs to it.",
    responses: [empty(200)],
  },
  "manager.updateCloudDatabase": {
    summary: "Changes a cloud database's state, quotas, counts or limits.",
    ...body(openObject({}, databaseSettings)),
    responses: [json(200, cloudDatabase)],
  },
  "manager.addTarget": {
    summary: "Adds a target, without a signature.",
    ...body(
      openObject(
        { name: someText, width, image_base64: image },
        { ...targetOptions, processing_time_seconds: seconds, target_id: someText },
      ),
    ),
    responses: [json(201, target), taken],
  },
  "manager.updateTarget": {
    summary: "Changes what is given of a target, in whatever state it is.",
    ...body(openObject({}, { name: someText, width, image, ...targetOptions })),
    responses: [json(200, target), taken],
  },
  "manager.deleteTarget": {
    summary: "Deletes a target, in whatever state it is.",
    responses: [json(200, target)],
  },
  "manager.setRecognitionCounts": {
    summary: "Sets recognition counts of a target.",
    ...body(openObject({}, counts)),
    responses: [json(200, target)],
  },
  "manager.listVuMarkDatabases": {
    summary: "Lists the VuMark databases, with their template targets.",
    responses: [json(200, listOf(vuMarkDatabase))],
  },
  "manager.addVuMarkDatabase": {
    summary: "Adds a VuMark database; what is not given is generated.",
    ...body(openObject({}, { ...keys, ...stateName })),
    responses: [json(201, vuMarkDatabase), taken],
  },
  "manager.deleteVuMarkDatabase": {
    summary: "Deletes a VuMark database and its template targets.",
    responses: [empty(200)],
  },
  "manager.updateVuMarkDatabase": {
    summary: "Changes a VuMark database's state.",
    ...body(openObject({}, stateName)),
    responses: [json(200, vuMarkDatabase)],
  },
  "manager.addVuMarkTarget": {
    summary: "Adds a template target, or replaces the one with its id.",
    ...body(
      openObject(
        { name: someText },
        {
          target_id: someText,
          processing_time_seconds: seconds,
          last_modified_date: moment,
          upload_date: moment,
        },
      ),
    ),
    responses: [json(201, templateTarget)],
  },
  "manager.listDatasets": {
    summary: "Lists the Model Target datasets.",
    responses: [json(200, listOf(object(dataset)))],
  },
  "manager.addDataset": {
    summary: "Adds a Model Target dataset, or replaces the one with its uuid.",
    ...body(openObject({}, dataset)),
    responses: [json(201, object(dataset))],
  },
  "manager.deleteDataset": {
    summary: "Deletes a Model Target dataset.",
    responses: [empty(200), emptyUnknown],
  },
  "manager.listCredentials": {
    summary: "Lists the OAuth 2.0 client credentials, with their secrets.",
    responses: [json(200, listOf(object(credential)))],
  },
  "manager.putCredential": {
    summary: "Adds a client credential, or replaces the one with its client id.",
    ...body(openObject(credential)),
    responses: [empty(204)],
  },
  "manager.deleteCredential": {
    summary: "Deletes a client credential.",
    responses: [empty(204), emptyUnknown],
  },
  "manager.listRequests": {
    summary: "Lists the latest requests, oldest first, and says how many older ones were dropped.",
    responses: [json(200, object({ dropped: wholeNumber, requests: listOf(request) }))],
  },
  "manager.clearRequests": { summary: "Forgets the requests.", responses: [empty(200)] },
  "manager.reset": {
    summary:
      "Deletes all databases, datasets, credentials and reports, forgets the requests, and undoes what was done to the clock.",
    responses: [empty(200)],
  },
  "manager.takeSnapshot": {
    summary: "Gives the whole state: databases, targets, images, reports, datasets and credentials.",
    responses: [json(200, snapshot)],
  },
  "manager.restoreSnapshot": {
    summary: "Replaces the state by that of a snapshot; the requests stay.",
    ...body(snapshot),
    responses: [empty(200)],
  },
  "manager.finishProcessing": {
    summary: "Takes every target, report and dataset past its processing time.",
    responses: [empty(200)],
  },
  "manager.readClock": {
    summary: "Says what time it is for all servers, and whether the clock stands still.",
    responses: [json(200, clock)],
  },
  "manager.setClock": {
    summary: "Puts the clock of all servers to a moment, stops it or lets it run on.",
    ...body(openObject({}, { now: moment, frozen: flag })),
    responses: [json(200, clock)],
  },
  "manager.advanceClock": {
    summary: "Moves the clock of all servers, back if `seconds` is negative.",
    ...body(openObject({ seconds: { type: "number", description: "In seconds." } })),
    responses: [json(200, clock)],
  },
  "manager.resetClock": {
    summary: "Undoes whatever was done to the clock.",
    responses: [empty(200)],
  },
  "manager.live": { summary: "Says that the process answers.", responses: [healthy] },
  "manager.ready": { summary: "Says that the state can be read.", responses: [healthy] },
};

const isDelete = (operation: string): boolean => operation.startsWith("manager.delete");

const refusals: Refusals = {
  knownDatabase: ({ operation }) => [isDelete(operation) ? emptyUnknown : unknown],
  knownTarget: ({ operation }) => [isDelete(operation) ? emptyUnknown : unknown],
  bodyAccepted: () => [
    {
      ...json(400, object({ errors: listOf(object({ field: text, message: text, accepted: text })) })),
      description: "The body is no JSON object, or fields of it are not accepted.",
    },
  ],
};
