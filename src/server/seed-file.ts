import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { RequestHandler } from "../http/outcome.ts";
import { isObject } from "../store/record-guards.ts";

/** A seed file that cannot be read or holds what the target manager does not accept. The message is one line. */
export class InvalidSeedError extends Error {
  /** Tells the error from others. */
  override readonly name = "InvalidSeedError";
}

type Fields = { readonly [key: string]: unknown };

const LISTS = [
  "cloud_databases",
  "vumark_databases",
  "oauth2_client_credentials",
  "model_target_datasets",
] as const;
const COUNTS = ["current_month_recos", "previous_month_recos", "total_recos"];

/**
 * Fills a target manager from a file of its own resources (protocol section 10): databases with their `targets` or
 * `vumark_targets`, credentials, datasets. A target's `image` is a path relative to the file; seeded targets are past
 * their processing time unless they say otherwise.
 *
 * @returns the names of the cloud databases, in order.
 * @throws InvalidSeedError naming the file, the place in it, and what is accepted.
 */
export async function seedFrom(path: string, manager: RequestHandler): Promise<readonly string[]> {
  const seed = new Seed(path, manager);
  return seed.run();
}

class Seed {
  private readonly names: string[] = [];

  constructor(
    private readonly path: string,
    private readonly manager: RequestHandler,
  ) {}

  async run(): Promise<readonly string[]> {
    const content = await this.read();
    const unknown = Object.keys(content).find((name) => !LISTS.some((list) => list === name));
    if (unknown !== undefined) throw this.wrong(unknown, `is unknown; accepted are ${LISTS.join(", ")}`);
    for (const [at, fields] of this.list(content, "cloud_databases")) await this.cloudDatabase(at, fields);
    for (const [at, fields] of this.list(content, "vumark_databases")) await this.vuMarkDatabase(at, fields);
    for (const [at, fields] of this.list(content, "oauth2_client_credentials"))
      await this.post(at, "/oauth2_client_credentials", fields);
    for (const [at, fields] of this.list(content, "model_target_datasets"))
      await this.post(at, "/model_target_datasets", fields);
    return this.names;
  }

  private async cloudDatabase(at: string, { targets, ...fields }: Fields): Promise<void> {
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
    }
  }

  private async vuMarkDatabase(at: string, { vumark_targets, ...fields }: Fields): Promise<void> {
    const name = this.nameOf(at, await this.post(at, "/vumark_databases", fields));
    const route = `/vumark_databases/${encodeURIComponent(name)}/vumark_targets`;
    for (const [place, target] of this.list({ vumark_targets }, "vumark_targets", at))
      await this.post(place, route, target);
  }

  private async read(): Promise<Fields> {
    let content: unknown;
    try {
      content = JSON.parse(await readFile(this.path, "utf8"));
    } catch (error) {
      // What JSON.parse says quotes the file, secret keys included.
      const why = error instanceof SyntaxError ? "it is no JSON" : String(error);
      throw new InvalidSeedError(`${this.path}: ${why}`);
    }
    if (isObject(content)) return content;
    throw new InvalidSeedError(`${this.path}: accepted is a JSON object with ${LISTS.join(", ")}`);
  }

  /** The objects of a list, each with its place in the file. */
  private list(fields: Fields, name: string, inside?: string): readonly (readonly [string, Fields])[] {
    const place = inside === undefined ? name : `${inside}.${name}`;
    const given = fields[name];
    if (given === undefined) return [];
    if (!Array.isArray(given)) throw this.wrong(place, "is no list; accepted is a list of objects");
    return given.map((item: unknown, index) => {
      const at = `${place}[${index}]`;
      if (!isObject(item)) throw this.wrong(at, "is no object");
      return [at, item];
    });
  }

  private async image(at: string, path: unknown): Promise<string> {
    const file = typeof path === "string" ? resolve(dirname(this.path), path) : undefined;
    const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
    if (bytes !== undefined) return bytes.toString("base64");
    throw this.wrong(
      `${at}.image`,
      `is ${JSON.stringify(path)}; accepted is the path of an image file, from this file's folder`,
    );
  }

  private async post(at: string, path: string, fields: Fields): Promise<Fields> {
    const body = Buffer.from(JSON.stringify(fields));
    const { response } = await this.manager({ method: "POST", path, query: "", headers: [], body });
    const said = response?.body.toString() ?? "";
    if (response === undefined || response.status >= 300) throw this.wrong(at, complaint(said));
    const created: unknown = said === "" ? {} : JSON.parse(said);
    return isObject(created) ? created : {};
  }

  private nameOf(at: string, { database_name: name }: Fields): string {
    if (typeof name === "string") return name;
    throw this.wrong(at, "was answered without a name");
  }

  private wrong(at: string, what: string): InvalidSeedError {
    return new InvalidSeedError(`${this.path}: ${at} ${what}`);
  }
}

/** What the manager says of a resource that it does not accept, in one line. Conflicts show values, which may be secret. */
function complaint(said: string): string {
  try {
    const { errors }: { errors?: unknown } = JSON.parse(said);
    if (!Array.isArray(errors)) return `is not accepted: ${said}`;
    const lines = errors.map((error: unknown) => {
      if (!isObject(error)) return String(error);
      return `${String(error.message)}; accepted is ${String(error.accepted)}`;
    });
    return `is not accepted: ${lines.join("; ")}`;
  } catch {
    return `is not accepted: ${said.replace(/\s+/g, " ").replace(/( (?:access|secret) key) ".*"/, "$1 …")}`;
  }
}
