import type * as z from "zod/mini";
import { operation } from "../../emulator/operation.ts";
import { ok } from "../../emulator/response.ts";
import { writeJson } from "../../emulator/write-json.ts";
import type { JsonObject } from "../../general/json.ts";
import { yieldToEventLoop } from "../../general/scheduling.ts";
import {
  type ChangeableFields,
  cloudDatabaseJson,
  newCloudDatabase,
  postedCloudDatabase,
  putCloudDatabase,
} from "../../schema/cloud-database.ts";
import {
  newVuMarkDatabase,
  postedVuMarkDatabase,
  putVuMarkDatabase,
  templateTargetJson,
  vuMarkDatabaseJson,
} from "../../schema/database.ts";
import { targetJson } from "../../schema/target.ts";
import type { WireForm } from "../../schema/zod/wire.ts";
import * as changes from "../../store/changes.ts";
import * as reads from "../../store/reads.ts";
import type { ApiContext, Services } from "../services.ts";
import {
  anyRequest,
  bodyAccepted,
  bodyMatching,
  type DatabaseKind,
  type DatabaseOf,
  isOfKind,
  knownDatabase,
  named,
  type OperationTitle,
  unknownDatabase,
} from "./checks.ts";
import {
  addedWith,
  databaseConflict,
  doneWith,
  doneWithLarge,
  noBody,
  taken,
  unknown,
  unknownToDelete,
} from "./responses.ts";
import { targetViewAt } from "./targets.ts";

/** Targets written before other work may run. */
const TARGETS_PER_SLICE = 100;

interface DatabaseResource<K extends DatabaseKind, Given extends object, Item, Shown, View> {
  readonly kind: K;
  readonly path: string;
  readonly json: WireForm<View>;
  readonly view: (database: DatabaseOf<K>, targets: Shown[]) => View;
  readonly list: OperationTitle;
  readonly all: (services: Services) => Promise<readonly DatabaseOf<K>[]>;
  readonly targets: {
    readonly field: string;
    readonly json: WireForm<Shown>;
    readonly of: (services: Services, databaseName: string) => Promise<readonly Item[]>;
    readonly view: (target: Item, now: number) => Promise<Shown>;
  };
  readonly add: OperationTitle;
  readonly posted: { readonly schema: z.ZodMiniType<Given> };
  readonly create: (given: Given, context: ApiContext) => DatabaseOf<K>;
  readonly update: OperationTitle;
  readonly put: { readonly schema: z.ZodMiniType<Partial<ChangeableFields>> };
  readonly delete: OperationTitle;
}

/** All databases with their targets, as JSON. Other work runs in between, because there may be many targets. */
async function written<K extends DatabaseKind, Given extends object, Item, Shown, View>(
  { all, targets, json, view }: DatabaseResource<K, Given, Item, Shown, View>,
  services: Services,
  now: number,
): Promise<readonly JsonObject[]> {
  const databases = await all(services);
  // Read together, as close to one moment as the store allows: while they are written, other requests change them.
  const lists = await Promise.all(databases.map(({ databaseName }) => targets.of(services, databaseName)));
  const objects: JsonObject[] = [];
  for (const [index, database] of databases.entries()) {
    const items: JsonObject[] = [];
    for (const target of lists[index] ?? []) {
      items.push(targets.json.write(await targets.view(target, now)));
      if (items.length % TARGETS_PER_SLICE === 0) await yieldToEventLoop();
    }
    objects.push({ ...json.write(view(database, [])), [targets.field]: items });
  }
  return objects;
}

function operationsOn<K extends DatabaseKind, Given extends object, Item, Shown, View>(
  resource: DatabaseResource<K, Given, Item, Shown, View>,
) {
  const { kind, path, json, view, targets } = resource;
  const one = `${path}/{database_name}`;
  const [listed, added, updated] = [doneWithLarge(json), addedWith(json), doneWith(json)];
  const newBody = bodyMatching(resource.posted.schema);
  const changedBody = bodyMatching(resource.put.schema);
  return [
    operation({
      ...named(resource.list),
      method: "GET",
      path,
      checks: anyRequest,
      responses: [listed],
      handle: async ({ services, now }) => ok(listed, writeJson(await written(resource, services, now))),
    }),
    operation({
      ...named(resource.add),
      method: "POST",
      path,
      body: newBody,
      checks: anyRequest.and(bodyAccepted(newBody)),
      responses: [added, taken],
      handle: async (context) => {
        const { given, services } = context;
        const generate = () => resource.create(given, context);
        const created = await services.store.run(changes.createGeneratedDatabase(given, generate));
        return "conflict" in created ? databaseConflict(created) : ok(added, view(created, []));
      },
    }),
    operation({
      ...named(resource.delete),
      method: "DELETE",
      path: one,
      checks: anyRequest.and(knownDatabase<DatabaseKind>(kind, unknownToDelete)),
      responses: [noBody],
      handle: async ({ database, services }) => {
        await services.store.run(changes.deleteDatabase(database.databaseName));
        return ok(noBody);
      },
    }),
    operation({
      ...named(resource.update),
      method: "PUT",
      path: one,
      body: changedBody,
      checks: anyRequest.and(knownDatabase<DatabaseKind>(kind)).and(bodyAccepted(changedBody)),
      responses: [updated, unknown],
      handle: async (context) => {
        const { database, given, services, now } = context;
        const changed = await services.store.run(changes.updateDatabase(database.databaseName, given));
        // Another request has deleted it since the check.
        if (!isOfKind(changed, kind)) return unknownDatabase(context, kind);
        const items = await targets.of(services, changed.databaseName);
        return ok(updated, view(changed, await Promise.all(items.map((item) => targets.view(item, now)))));
      },
    }),
  ];
}

export const cloudDatabases = operationsOn({
  kind: "cloud",
  path: "/cloud_databases",
  json: cloudDatabaseJson,
  view: (database, targets) => ({ ...database, targets }),
  list: ["manager.listCloudDatabases", "Lists the cloud databases with all their targets."],
  all: ({ store }) => store.read(reads.cloudDatabases),
  targets: {
    field: "targets",
    json: targetJson,
    of: ({ store }, databaseName) => store.read(reads.targets(databaseName, { deleted: true })),
    view: targetViewAt,
  },
  add: [
    "manager.addCloudDatabase",
    "Adds a cloud database; keys, names and ids that are not given are generated.",
  ],
  posted: postedCloudDatabase,
  create: (given, { random, services }) => newCloudDatabase(given, random, services.answerOptions),
  update: ["manager.updateCloudDatabase", "Changes a cloud database's state, quotas, counts or limits."],
  put: putCloudDatabase,
  delete: ["manager.deleteCloudDatabase", "Deletes a cloud database and everything that belongs to it."],
});

export const vuMarkDatabases = operationsOn({
  kind: "vumark",
  path: "/vumark_databases",
  json: vuMarkDatabaseJson,
  view: (database, vumarkTargets) => ({ ...database, vumarkTargets }),
  list: ["manager.listVuMarkDatabases", "Lists the VuMark databases with their template targets."],
  all: ({ store }) => store.read(reads.vuMarkDatabases),
  targets: {
    field: "vumark_targets",
    json: templateTargetJson,
    of: ({ store }, databaseName) => store.read(reads.templateTargets(databaseName)),
    view: async (target) => target,
  },
  add: [
    "manager.addVuMarkDatabase",
    "Adds a VuMark database; keys and names that are not given are generated.",
  ],
  posted: postedVuMarkDatabase,
  create: (given, { random }) => newVuMarkDatabase(given, random),
  update: ["manager.updateVuMarkDatabase", "Changes a VuMark database's state."],
  put: putVuMarkDatabase,
  delete: ["manager.deleteVuMarkDatabase", "Deletes a VuMark database and its template targets."],
});
