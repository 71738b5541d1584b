import { check } from "../../emulator/check.ts";
import { show } from "../../emulator/text.ts";
import type { CloudDatabase } from "../../schema/cloud-database.ts";
import type { Database } from "../../schema/database.ts";
import { whereTargetIs } from "../explanations/key.ts";
import type { ApiContext } from "../services.ts";
import { failure } from "./target-responses.ts";

async function unknownTarget(context: ApiContext & { readonly database: Database }): Promise<string> {
  const { database, params } = context;
  const where = await whereTargetIs(context, database.databaseName, params.id ?? "");
  return `the database "${database.databaseName}" has no undeleted target with the id ${show(params.id)}${where}`;
}

/** Row 11: the path's target exists and is not deleted. Finds it. */
export const knownTarget = check({
  name: "knownTarget",
  concerns: ["getTarget", "updateTarget", "deleteTarget", "getDuplicates", "targetSummary"],
  refusals: [failure("UnknownTarget")],
  test: async (context: ApiContext & { readonly database: CloudDatabase }) => {
    const { database, params, services } = context;
    const target = await services.store.findTarget(database.databaseName, params.id ?? "");
    return target === undefined ? unknownTarget(context) : { target };
  },
});

/** Row 11 of the instances route, which accepts databases of either kind. */
export const knownTargetOfAnyDatabase = check({
  name: "knownTarget",
  concerns: ["generateInstance"],
  refusals: [failure("UnknownTarget")],
  test: async (context: ApiContext & { readonly database: Database }) => {
    const { database, params, services } = context;
    const { store } = services;
    const id = params.id ?? "";
    const target =
      database.kind === "cloud"
        ? await store.findTarget(database.databaseName, id)
        : await store.findTemplateTarget(database.databaseName, id);
    return target === undefined ? unknownTarget(context) : { target };
  },
});
