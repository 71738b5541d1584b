import type { Target } from "../../domain/target.ts";
import type { Awaitable } from "../../runtime/awaitable.ts";
import {
  decoded,
  encodeTarget,
  isCountChanges,
  isCredentialRecord,
  isDatabaseChanges,
  isDatabaseRecord,
  isDatasetRecord,
  isListOptions,
  isNewTargetRecord,
  isRateRule,
  isReportRecord,
  isTargetChangesRecord,
  isTargetStatus,
  isTemplateTargetRecord,
} from "../../store/codec.ts";
import { type Guard, isAnything, isBoolean, isNumber, isText, listOf } from "../../store/record-guards.ts";
import type { Store } from "../../store/store.ts";

/** A verb's arguments as they came; each is checked when it is taken. */
export class Arguments {
  constructor(
    private readonly given: readonly unknown[],
    readonly image: Buffer,
  ) {}

  at<T>(index: number, guard: Guard<T>): T {
    return decoded(guard, this.given[index], `argument ${index + 1}`);
  }
}

type Verb = (store: Store, args: Arguments) => Awaitable<unknown>;

const record = (result: Target | string | undefined) =>
  typeof result === "object" ? encodeTarget(result) : result;

/** The verbs of `Store` that other servers may ask for; what they read most they read as a database's state. */
export const verbs: Readonly<Record<string, Verb>> = {
  createDatabase: (store, args) => store.createDatabase(args.at(0, isDatabaseRecord)),
  listCloudDatabases: (store) => store.listCloudDatabases(),
  listVuMarkDatabases: (store) => store.listVuMarkDatabases(),
  updateDatabase: (store, args) => store.updateDatabase(args.at(0, isText), args.at(1, isDatabaseChanges)),
  deleteDatabase: (store, args) => store.deleteDatabase(args.at(0, isText)),
  takeRateToken: (store, args) =>
    store.takeRateToken(args.at(0, isText), args.at(1, listOf(isRateRule)), args.at(2, isNumber)),
  listTargets: async (store, args) =>
    (await store.listTargets(args.at(0, isText), args.at(1, isListOptions))).map(encodeTarget),
  createTarget: async (store, args) => {
    const target = { ...args.at(1, isNewTargetRecord), image: args.image };
    return record(await store.createTarget(args.at(0, isText), target, args.at(2, isNumber)));
  },
  updateTarget: async (store, args) => {
    const { newImage, ...changes } = args.at(2, isTargetChangesRecord);
    return record(
      await store.updateTarget(
        args.at(0, isText),
        args.at(1, isText),
        newImage ? { ...changes, image: args.image } : changes,
        args.at(3, isNumber),
        args.at(4, listOf(isTargetStatus)),
      ),
    );
  },
  deleteTarget: async (store, args) =>
    record(
      await store.deleteTarget(
        args.at(0, isText),
        args.at(1, isText),
        args.at(2, isNumber),
        args.at(3, isBoolean),
      ),
    ),
  setRecognitionCounts: async (store, args) =>
    record(
      await store.setRecognitionCounts(args.at(0, isText), args.at(1, isText), args.at(2, isCountChanges)),
    ),
  addTemplateTarget: (store, args) =>
    store.addTemplateTarget(args.at(0, isText), args.at(1, isTemplateTargetRecord)),
  openReport: (store, args) => store.openReport(args.at(0, isReportRecord)),
  findReport: (store, args) => store.findReport(args.at(0, isText), args.at(1, isText)),
  createDataset: (store, args) => store.createDataset(args.at(0, isDatasetRecord)),
  findDataset: (store, args) => store.findDataset(args.at(0, isText)),
  listDatasets: (store) => store.listDatasets(),
  deleteDataset: (store, args) => store.deleteDataset(args.at(0, isText)),
  createCredential: (store, args) =>
    store.createCredential(args.at(0, isCredentialRecord), args.at(1, isNumber)),
  putCredential: (store, args) => store.putCredential(args.at(0, isCredentialRecord)),
  findCredential: (store, args) => store.findCredential(args.at(0, isText)),
  listCredentials: (store) => store.listCredentials(),
  setCredentialScopes: (store, args) =>
    store.setCredentialScopes(args.at(0, isText), args.at(1, listOf(isText))),
  deleteCredential: (store, args) => store.deleteCredential(args.at(0, isText)),
  finishProcessing: (store) => store.finishProcessing(),
  reset: (store) => store.reset(),
  snapshot: (store) => store.snapshot(),
  restore: (store, args) => store.restore(args.at(0, isAnything)),
};
