import type { Database } from "../domain/database.ts";
import type { Target, TemplateTarget } from "../domain/target.ts";
import { refuse, step } from "../http/guard.ts";
import { show } from "../http/show.ts";
import { failure } from "../responses/target-api.ts";
import type { Call } from "../services.ts";

const unknownTarget = (database: Database, id: string | undefined) =>
  refuse(
    failure("UnknownTarget"),
    `the database "${database.name}" has no undeleted target with the id ${show(id)}`,
  );

/** Row 11: the path's target exists and is not deleted. */
export const knownTarget = step<Call & { database: Database }, { target: Target }>(
  "knownTarget",
  async ({ database, params, services: { store } }) => {
    const target = await store.findTarget(database.name, params.id ?? "");
    return target === undefined ? unknownTarget(database, params.id) : { target };
  },
);

/** Row 11 on the instances route, which serves databases of both kinds. */
export const knownTargetOrTemplate = step<Call & { database: Database }, { target: Target | TemplateTarget }>(
  "knownTarget",
  async ({ database, params: { id = "" }, services: { store } }) => {
    const target =
      database.kind === "cloud"
        ? await store.findTarget(database.name, id)
        : await store.findTemplateTarget(database.name, id);
    return target === undefined ? unknownTarget(database, id) : { target };
  },
);

/** Row 11 on routes that name no target. */
export const noTargetNamed = step<Call, object>("noTargetNamed", () => ({}));
