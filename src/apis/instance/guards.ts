import { type Database, isAnyDatabase } from "../../domain/database.ts";
import { isProcessed, type Target, type TemplateTarget } from "../../domain/target.ts";
import { knownTargetOrTemplate } from "../../guards/path-target.ts";
import { targetApiTable } from "../../guards/target-api-table.ts";
import { guard, refuse, step } from "../../http/guard.ts";
import { show } from "../../http/show.ts";
import { header } from "../../http/wire-message.ts";
import { failure } from "../../responses/target-api.ts";
import type { Call } from "../../services.ts";
import { pdfInstance } from "./pdf-instance.ts";
import { pngInstance } from "./png-instance.ts";
import { svgInstance } from "./svg-instance.ts";

type Context = Call & { readonly database: Database; readonly target: Target | TemplateTarget };

/** The keys belong to a template database. */
const databaseHasTemplates = guard<Context>("databaseHasTemplates", ({ database }) =>
  database.kind === "vumark"
    ? undefined
    : refuse(
        failure("InvalidTargetType"),
        `the database "${database.name}" is a cloud database; instances are made of VuMark databases' targets`,
      ),
);

/** The template target is past its processing time. */
const templateProcessed = guard<Context>("templateProcessed", ({ target, now }) =>
  isProcessed(target, now)
    ? undefined
    : refuse(
        failure("TargetStatusNotSuccess"),
        `the template target is processing for ${target.processingTimeSeconds} s after its last change`,
      ),
);

const RENDERERS: ReadonlyMap<string, (id: string) => Buffer> = new Map([
  ["image/png", pngInstance],
  ["image/svg+xml", svgInstance],
  ["application/pdf", pdfInstance],
]);

/** `Accept` is one of the three media types. */
const mediaTypeAccepted = step<Context, { mediaType: string; render: (id: string) => Buffer }>(
  "mediaTypeAccepted",
  ({ request }) => {
    const mediaType = header(request, "accept") ?? "";
    const render = RENDERERS.get(mediaType);
    if (render !== undefined) return { mediaType, render };
    return refuse(
      failure("InvalidAcceptHeader"),
      `Accept must be ${[...RENDERERS.keys()].join(", ")}, got ${show(mediaType)}`,
    );
  },
);

/** Protocol section 6: the table of section 4 over databases of both kinds, and what only instances need. */
export const instanceChecks = targetApiTable(isAnyDatabase, knownTargetOrTemplate)
  .checking(databaseHasTemplates, templateProcessed)
  .adding(mediaTypeAccepted);
