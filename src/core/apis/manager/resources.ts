import type * as z from "zod/mini";
import { operation } from "../../emulator/operation.ts";
import { type DeclaredResponse, ok } from "../../emulator/response.ts";
import { show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import { faultJson, postedFault } from "../../schema/fault.ts";
import { credentialJson, datasetJson, postedCredential, postedDataset } from "../../schema/model-target.ts";
import type { WireForm } from "../../schema/zod/wire.ts";
import * as changes from "../../store/changes.ts";
import * as reads from "../../store/reads.ts";
import * as control from "../control.ts";
import type { ApiContext, Services } from "../services.ts";
import { anyRequest, bodyAccepted, bodyMatching, named, type OperationTitle } from "./checks.ts";
import { addedWith, doneWithAll, noBody, noContent, refuseUnknown, unknownToDelete } from "./responses.ts";

/** Records that belong to no database: their JSON, and what each operation does. */
interface Resource<T, Given> {
  readonly path: string;
  readonly key: string;
  /** As in "there is no dataset with the uuid x". */
  readonly called: string;
  readonly json: WireForm<T>;
  readonly posted: { readonly schema: z.ZodMiniType<Given> };
  readonly list: OperationTitle;
  readonly all: (services: Services) => Promise<readonly T[]>;
  readonly add: OperationTitle;
  readonly create: (given: Given, context: ApiContext) => Promise<T>;
  readonly added?: DeclaredResponse<T>;
  readonly delete: OperationTitle;
  /** Returns false if there was nothing to remove. */
  readonly remove: (services: Services, key: string) => Promise<boolean>;
  readonly deleted: DeclaredResponse;
}

function operationsOf<T, Given>(resource: Resource<T, Given>) {
  const { path, key, json, posted, deleted } = resource;
  const listed = doneWithAll(json);
  const body = bodyMatching(posted.schema);
  const added = resource.added ?? addedWith(json);
  return [
    operation({
      ...named(resource.list),
      method: "GET",
      path,
      checks: anyRequest,
      responses: [listed],
      handle: async ({ services }) => ok(listed, await resource.all(services)),
    }),
    operation({
      ...named(resource.add),
      method: "POST",
      path,
      body,
      checks: anyRequest.and(bodyAccepted(body)),
      responses: [added],
      handle: async (context) => ok(added, await resource.create(context.given, context)),
    }),
    operation({
      ...named(resource.delete),
      method: "DELETE",
      path: `${path}/{${key}}`,
      checks: anyRequest,
      responses: [deleted, unknownToDelete],
      handle: async ({ params, services }) => {
        const value = params[key] ?? "";
        if (await resource.remove(services, value)) return ok(deleted);
        return refuseUnknown(
          cause("resource.unknown", { type: resource.called, id: show(value) }),
          unknownToDelete,
        );
      },
    }),
  ];
}

export const datasets = operationsOf({
  path: "/model_target_datasets",
  key: "uuid",
  called: "dataset with the uuid",
  json: datasetJson,
  posted: postedDataset,
  list: ["manager.listDatasets", "Lists the Model Target datasets."],
  all: ({ store }) => store.read(reads.datasets),
  add: ["manager.addDataset", "Adds a Model Target dataset, or replaces the one with its uuid."],
  create: (given, { services, now }) => services.store.run(control.addDataset(services, given, now)),
  delete: ["manager.deleteDataset", "Deletes a Model Target dataset."],
  remove: ({ store }, uuid) => store.run(changes.deleteDataset(uuid)),
  deleted: noBody,
});

export const credentials = operationsOf({
  path: "/oauth2_client_credentials",
  key: "client_id",
  called: "client credential with the id",
  json: credentialJson,
  posted: postedCredential,
  list: ["manager.listCredentials", "Lists the OAuth 2.0 client credentials with their secrets."],
  all: ({ store }) => store.read(reads.credentials),
  add: ["manager.putCredential", "Adds a client credential, or replaces the one with its client id."],
  create: async (given, { services: { store } }) => {
    await store.run(changes.putCredential(given));
    return given;
  },
  added: noContent,
  delete: ["manager.deleteCredential", "Deletes a client credential."],
  remove: ({ store }, clientId) => store.run(changes.deleteCredential(clientId)),
  deleted: noContent,
});

/** Failures that a test injects. All servers of the manager share them. */
export const faults = operationsOf({
  path: "/faults",
  key: "fault_id",
  called: "fault with the id",
  json: faultJson,
  posted: postedFault,
  list: ["manager.listFaults", "Lists the faults, newest first, and how many requests each was applied to."],
  all: ({ faults }) => faults.list(),
  add: [
    "manager.addFault",
    "Makes matching requests to any server fail from now on; only the newest matching fault applies.",
  ],
  create: (given, { services }) => services.faults.create(given),
  delete: ["manager.deleteFault", "Removes a fault, and answers the requests that it delays."],
  remove: ({ faults }, id) => faults.delete(id),
  deleted: noContent,
});
