import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { RequestHandler } from "../emulator/message.ts";
import { messageOf } from "../emulator/text.ts";
import { type Problem, read } from "../schema/kernel/problems.ts";
import { isJsonObject, type JsonObject } from "../schema/kernel/values.ts";
import { seed as seedSchema } from "../schema/snapshot.ts";
import { IMAGE_PATH } from "../schema/target.ts";
import type { StartProgress } from "./server.ts";

/** A seed file that cannot be read, or that the target manager refuses. The message is one line. */
export class InvalidSeedError extends Error {
  /** Identifies the error. */
  override readonly name = "InvalidSeedError";
}

/** How many problems of a file the error lists. */
const MAX_PROBLEMS = 5;
const COUNTS = ["current_month_recos", "previous_month_recos", "total_recos"];

/**
 * Fills a target manager from a file of its resources: databases with their `targets` or `vumark_targets`, credentials,
 * datasets. A target's `image` is a path relative to the file. Seeded targets are processed unless they have a
 * `processing_time_seconds`.
 *
 * @returns the names of the cloud databases, in order.
 * @throws InvalidSeedError naming the file, the place in it, and what was expected.
 */
export async function seedFrom(
  path: string,
  manager: RequestHandler,
  onProgress: StartProgress = () => {},
): Promise<readonly string[]> {
  const seed = new Seed(path, manager, onProgress);
  return seed.run();
}

class Seed {
  private readonly names: string[] = [];
  private targets = 0;
  private added = 0;

  constructor(
    private readonly path: string,
    private readonly manager: RequestHandler,
    private readonly onProgress: StartProgress,
  ) {}

  async run(): Promise<readonly string[]> {
    const content = await this.read();
    const databases = this.list(content, "cloud_databases");
    for (const [at, fields] of databases) this.targets += this.list(fields, "targets", at).length;
    for (const [at, fields] of databases) await this.cloudDatabase(at, fields);
    for (const [at, fields] of this.list(content, "vumark_databases")) await this.vuMarkDatabase(at, fields);
    for (const [at, fields] of this.list(content, "oauth2_client_credentials"))
      await this.post(at, "/oauth2_client_credentials", fields);
    for (const [at, fields] of this.list(content, "model_target_datasets"))
      await this.post(at, "/model_target_datasets", fields);
    return this.names;
  }

  private async cloudDatabase(at: string, { targets, ...fields }: JsonObject): Promise<void> {
    const name = this.nameOf(at, await this.post(at, "/cloud_databases", fields));
    this.names.push(name);
    const route = `/cloud_databases/${encodeURIComponent(name)}/targets`;
    for (const [place, given] of this.list({ targets }, "targets", at)) {
      const { image, ...rest } = given;
      const target = {
        processing_time_seconds: 0,
        ...rest,
        ...(image !== undefined && { image_base64: await this.image(place, image) }),
      };
      const created = await this.post(place, route, target);
      const counts = Object.fromEntries(Object.entries(given).filter(([key]) => COUNTS.includes(key)));
      const id = encodeURIComponent(String(created.target_id));
      await this.post(place, `${route}/${id}/recognition_counts`, counts);
      this.added += 1;
      this.onProgress("targets", this.added, this.targets);
    }
  }

  private async vuMarkDatabase(at: string, { vumark_targets, ...fields }: JsonObject): Promise<void> {
    const name = this.nameOf(at, await this.post(at, "/vumark_databases", fields));
    const route = `/vumark_databases/${encodeURIComponent(name)}/vumark_targets`;
    for (const [place, target] of this.list({ vumark_targets }, "vumark_targets", at))
      await this.post(place, route, target);
  }

  private async read(): Promise<JsonObject> {
    let content: unknown;
    try {
      content = JSON.parse(await readFile(this.path, "utf8"));
    } catch (error) {
      // The message of JSON.parse quotes the file, including secret keys.
      const why = error instanceof SyntaxError ? "expected JSON" : `cannot be read: ${messageOf(error)}`;
      throw new InvalidSeedError(`${this.path}: ${why}`);
    }
    const reading = read(seedSchema.schema, content);
    if ("value" in reading && isJsonObject(content)) return content;
    const problems = "problems" in reading ? reading.problems : [];
    const told = problems.slice(0, MAX_PROBLEMS).map(problemText).join("; ");
    throw new InvalidSeedError(`${this.path}: ${told}`);
  }

  /** The objects of a list, each with its place in the file. */
  private list(
    fields: JsonObject,
    name: string,
    inside?: string,
  ): readonly (readonly [string, JsonObject])[] {
    const place = inside === undefined ? name : `${inside}.${name}`;
    const given = fields[name];
    const items: readonly unknown[] = Array.isArray(given) ? given : [];
    return items.filter(isJsonObject).map((item, index) => [`${place}[${index}]`, item]);
  }

  private async image(at: string, path: unknown): Promise<string> {
    const file = typeof path === "string" ? resolve(dirname(this.path), path) : undefined;
    const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
    if (bytes !== undefined) return bytes.toString("base64");
    throw new InvalidSeedError(
      `${this.path}: ${at}.image: expected ${IMAGE_PATH}; got ${JSON.stringify(path)}`,
    );
  }

  private async post(at: string, path: string, fields: JsonObject): Promise<JsonObject> {
    const body = Buffer.from(JSON.stringify(fields));
    const { response } = await this.manager({ method: "POST", path, query: "", headers: [], body });
    const said = response?.body.toString() ?? "";
    if (response === undefined || response.status >= 300) throw this.wrong(at, complaint(said));
    const created: unknown = said === "" ? {} : JSON.parse(said);
    return isJsonObject(created) ? created : {};
  }

  private nameOf(at: string, { database_name: name }: JsonObject): string {
    if (typeof name === "string") return name;
    throw this.wrong(at, "has no name in the manager's response");
  }

  private wrong(at: string, what: string): InvalidSeedError {
    return new InvalidSeedError(`${this.path}: ${at} ${what}`);
  }
}

const problemText = ({ path, given = "nothing", expected }: Problem): string =>
  `${path === "" ? "" : `${path}: `}expected ${expected}; got ${given}`;

/** Why the manager refused a resource, in one line. Messages of conflicts quote values; secrets are masked. */
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
