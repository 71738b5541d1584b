import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { RequestHandler } from "../core/emulator/message.ts";
import { whyUnread } from "../core/general/file-errors.ts";
import { isJsonObject, type JsonObject } from "../core/general/json.ts";
import { jsonIn, TextFileError } from "../core/general/text-file.ts";
import { seed as seedSchema } from "../core/schema/snapshot.ts";
import { IMAGE_PATH } from "../core/schema/target.ts";
import { type Problem, read } from "../core/schema/zod/problems.ts";
import { InvalidSeedError } from "./invalid-seed-error.ts";
import type { StartProgress } from "./server.ts";

const MAX_PROBLEMS = 5;
const COUNTS = ["current_month_recos", "previous_month_recos", "total_recos"];

/**
 * Fills a target manager from a file of databases with `targets` or `vumark_targets`, credentials and datasets. A target's `image`
 * is a path relative to the file. Targets without `processing_time_seconds` are processed.
 *
 * @throws InvalidSeedError naming the file, the place in it, and what was expected.
 */
export async function seedFrom(
  path: string,
  manager: RequestHandler,
  onProgress: StartProgress = () => {},
): Promise<void> {
  const wrong = (at: string, what: string) => new InvalidSeedError(`${path}: ${at} ${what}`);
  const post = async (at: string, route: string, fields: JsonObject): Promise<JsonObject> => {
    const body = Buffer.from(JSON.stringify(fields));
    const { response } = await manager({ method: "POST", path: route, query: "", headers: [], body });
    const said = response?.body.toString() ?? "";
    if (response === undefined || response.status >= 300) throw wrong(at, complaint(said));
    const created: unknown = said === "" ? {} : JSON.parse(said);
    return isJsonObject(created) ? created : {};
  };
  /** Adds a database, and returns the route of its targets. */
  const addDatabase = async (at: string, kind: "cloud" | "vumark", fields: JsonObject, targets: string) => {
    const { database_name: name } = await post(at, `/${kind}_databases`, fields);
    if (typeof name !== "string") throw wrong(at, "has no name in the manager's response");
    return `/${kind}_databases/${encodeURIComponent(name)}/${targets}`;
  };

  const content = await readSeed(path);
  const databases = listIn(content, "cloud_databases");
  const total = databases.reduce((count, [at, fields]) => count + listIn(fields, "targets", at).length, 0);
  let added = 0;
  for (const [at, { targets, ...fields }] of databases) {
    const route = await addDatabase(at, "cloud", fields, "targets");
    for (const [place, given] of listIn({ targets }, "targets", at)) {
      const { image, ...rest } = given;
      const created = await post(place, route, {
        processing_time_seconds: 0,
        ...rest,
        ...(image !== undefined && { image_base64: await imageFrom(path, place, image) }),
      });
      const counts = Object.fromEntries(Object.entries(given).filter(([key]) => COUNTS.includes(key)));
      const id = encodeURIComponent(String(created.target_id));
      await post(place, `${route}/${id}/recognition_counts`, counts);
      added += 1;
      onProgress("targets", added, total);
    }
  }
  for (const [at, { vumark_targets, ...fields }] of listIn(content, "vumark_databases")) {
    const route = await addDatabase(at, "vumark", fields, "vumark_targets");
    for (const [place, target] of listIn({ vumark_targets }, "vumark_targets", at))
      await post(place, route, target);
  }
  for (const name of ["oauth2_client_credentials", "model_target_datasets"])
    for (const [at, fields] of listIn(content, name)) await post(at, `/${name}`, fields);
}

async function readSeed(path: string): Promise<JsonObject> {
  let content: unknown;
  try {
    content = jsonIn(await readFile(path));
  } catch (error) {
    const why = error instanceof TextFileError ? error.message : `cannot be read: ${whyUnread(error)}`;
    throw new InvalidSeedError(`${path}: ${why}`);
  }
  if (isJsonObject(content) && "version" in content && "databases" in content)
    throw new InvalidSeedError(
      `${path}: it is a state file, not a seed: give it as --state FILE, or STATE_FILE`,
    );
  const reading = read(seedSchema.schema, content);
  if ("value" in reading && isJsonObject(content)) return content;
  const { problems, more } = "problems" in reading ? reading : { problems: [], more: 0 };
  const told = problems.slice(0, MAX_PROBLEMS).map(problemText);
  const left = problems.length - told.length + more;
  throw new InvalidSeedError(`${path}: ${told.join("; ")}${left > 0 ? `; and ${left} more` : ""}`);
}

/** The objects of a list, each with its place in the file. */
function listIn(
  fields: JsonObject,
  name: string,
  inside?: string,
): readonly (readonly [string, JsonObject])[] {
  const place = inside === undefined ? name : `${inside}.${name}`;
  const given = fields[name];
  const items: readonly unknown[] = Array.isArray(given) ? given : [];
  return items.filter(isJsonObject).map((item, index) => [`${place}[${index}]`, item]);
}

async function imageFrom(seedPath: string, at: string, given: unknown): Promise<string> {
  const file = typeof given === "string" ? resolve(dirname(seedPath), given) : undefined;
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (bytes !== undefined) return bytes.toString("base64");
  throw new InvalidSeedError(
    `${seedPath}: ${at}.image: expected ${IMAGE_PATH}; got ${JSON.stringify(given)}`,
  );
}

const problemText = ({ path, given = "nothing", expected }: Problem): string =>
  `${path === "" ? "" : `${path}: `}expected ${expected}; got ${given}`;

/** In one line. Messages of conflicts quote values; secrets are masked. */
function complaint(said: string): string {
  try {
    const { errors }: { errors?: unknown } = JSON.parse(said);
    if (!Array.isArray(errors)) return `was refused: ${said}`;
    const lines = errors.map((error: unknown) => {
      if (!isJsonObject(error)) return String(error);
      return `${String(error.message)}; expected ${String(error.accepted)}`;
    });
    return `was refused: ${lines.join("; ")}`;
  } catch {
    return `was refused: ${said.replace(/\s+/g, " ").replace(/( (?:access|secret) key) ".*"/, "$1 …")}`;
  }
}
