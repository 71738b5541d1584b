import { clockAdvance, clockSetting, clockState } from "../apis/manager/clock.ts";
import { constant, listOf, object, wholeNumber } from "../core/json-schema.ts";
import type { JsonSchema } from "../core/response.ts";
import { cloudDatabaseJson, postedCloudDatabase, putCloudDatabase } from "../schema/cloud-database.ts";
import { credentialJson } from "../schema/credential.ts";
import { datasetJson, postedDataset } from "../schema/dataset.ts";
import { requestSchema, responseSchema } from "../schema/kernel/json-schema.ts";
import { snapshot } from "../schema/snapshot.ts";
import { postedCounts, postedTarget, putTarget, targetJson } from "../schema/target.ts";
import {
  postedTemplateTarget,
  postedVuMarkDatabase,
  putVuMarkDatabase,
  templateTargetJson,
  vuMarkDatabaseJson,
} from "../schema/vumark-database.ts";
import { request } from "./manager-resources.ts";

/** The schemas of the bodies of one of the target manager's operations; absent: it has no such body. */
interface Bodies {
  readonly takes?: JsonSchema;
  /** When all went well. */
  readonly gives?: JsonSchema;
}

const cloudDatabase = responseSchema(cloudDatabaseJson.schema);
const target = responseSchema(targetJson.schema);
const vuMarkDatabase = responseSchema(vuMarkDatabaseJson.schema);
const dataset = responseSchema(datasetJson.schema);
const clock = responseSchema(clockState);
const healthy = object({ status: constant("ok") });

/** By operation. */
export const managerBodies: Readonly<Record<string, Bodies>> = {
  "manager.listCloudDatabases": { gives: listOf(cloudDatabase) },
  "manager.addCloudDatabase": { takes: requestSchema(postedCloudDatabase.schema), gives: cloudDatabase },
  "manager.updateCloudDatabase": { takes: requestSchema(putCloudDatabase.schema), gives: cloudDatabase },
  "manager.addTarget": { takes: requestSchema(postedTarget.schema), gives: target },
  "manager.updateTarget": { takes: requestSchema(putTarget.schema), gives: target },
  "manager.deleteTarget": { gives: target },
  "manager.setRecognitionCounts": { takes: requestSchema(postedCounts.schema), gives: target },
  "manager.listVuMarkDatabases": { gives: listOf(vuMarkDatabase) },
  "manager.addVuMarkDatabase": { takes: requestSchema(postedVuMarkDatabase.schema), gives: vuMarkDatabase },
  "manager.updateVuMarkDatabase": { takes: requestSchema(putVuMarkDatabase.schema), gives: vuMarkDatabase },
  "manager.addVuMarkTarget": {
    takes: requestSchema(postedTemplateTarget.schema),
    gives: responseSchema(templateTargetJson.schema),
  },
  "manager.listDatasets": { gives: listOf(dataset) },
  "manager.addDataset": { takes: requestSchema(postedDataset.schema), gives: dataset },
  "manager.listCredentials": { gives: listOf(responseSchema(credentialJson.schema)) },
  "manager.putCredential": { takes: requestSchema(credentialJson.schema) },
  "manager.listRequests": { gives: object({ dropped: wholeNumber, requests: listOf(request) }) },
  "manager.takeSnapshot": { gives: responseSchema(snapshot) },
  "manager.restoreSnapshot": { takes: requestSchema(snapshot) },
  "manager.readClock": { gives: clock },
  "manager.setClock": { takes: requestSchema(clockSetting), gives: clock },
  "manager.advanceClock": { takes: requestSchema(clockAdvance), gives: clock },
  "manager.live": { gives: healthy },
  "manager.ready": { gives: healthy },
};
