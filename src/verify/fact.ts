import type { HeaderList } from "../core/message.ts";
import type { Profile } from "../core/profiles.ts";

/** The APIs that facts are about. */
export const FACT_APIS = ["target", "query", "model-target"] as const;
export type FactApi = (typeof FACT_APIS)[number];

export const KNOWN_BY = ["observed", "documented", "assumed"] as const;

/**
 * How a fact is known. `observed`: seen at the real service, up to the month given. `documented`: in the service's
 * documentation. `assumed`: this emulator's choice, which nobody compared with the real service.
 */
export interface Known {
  readonly by: (typeof KNOWN_BY)[number];
  /** Year and month, when observed. */
  readonly date?: string;
}

/** The public test suites of the real service were last read in this month. */
export const observed: Known = { by: "observed", date: "2026-09" };
const documented: Known = { by: "documented" };
export const assumed: Known = { by: "assumed" };

/** Rates and sizes are documented; what is known of a request that is wrong in some point. */
export const knownOf = (what: string, isAssumed = false): Known => {
  if (isAssumed) return assumed;
  return /^(metadata|an? \w+) of \d+ (bytes|characters)$|limit( per second)?$/.test(what)
    ? documented
    : observed;
};

/** The keys of one database; which of them are needed depends on the API. */
export interface Keys {
  readonly serverAccessKey?: string | undefined;
  readonly serverSecretKey?: string | undefined;
  readonly clientAccessKey?: string | undefined;
  readonly clientSecretKey?: string | undefined;
  readonly modelTargetClientId?: string | undefined;
  readonly modelTargetClientSecret?: string | undefined;
  /** Known only of databases that a target manager created. */
  readonly databaseId?: string | undefined;
}

/** A request as it is sent. */
export interface RequestParts {
  readonly method: string;
  /** Without the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** A `Content-Length` that is not the body's length; no client library sends it. */
  readonly contentLength?: string | undefined;
}

/** What a request may refer to. */
export interface Situation {
  readonly profile: Profile;
  readonly now: Date;
  readonly keys: Keys;
  /** The target that the fact uses. */
  readonly targetId: string;
  /** Its name. */
  readonly targetName: string;
  /** A name that begins with the run's prefix, as all names do that a run adds. */
  readonly named: (name: string) => string;
  /** A name that nothing has yet. */
  readonly newName: string;
  /** A token of the Model Target API. */
  readonly token: string;
}

/**
 * A target in the database: one that is processed, shared by many facts; or one that the fact may change: processed, still
 * being processed, or of one colour, so that its processing fails.
 */
export type NeededTarget = "processed" | "own" | "new" | "failed";

/** A response, exactly. In values and bodies, `<id>` and the like stand for what varies: see `template.ts`. */
export interface Expected {
  readonly status: number;
  /** All headers but `Content-Length`, in any order, with their case. Absent: not compared. */
  readonly headers?: HeaderList;
  readonly body: string;
}

/** One sentence about an API that requests can show to be true. */
export interface Fact {
  /** Unique and stable, such as `target-3-no-authorization`. */
  readonly id: string;
  readonly api: FactApi;
  readonly sentence: string;
  readonly known: Known;
  /** The check of the emulator that refuses the request. */
  readonly check?: string;
  /** `reading`: changes nothing. `writing`: adds something, or would if the fact were false. */
  readonly needs: "reading" | "writing";
  /** Settings of a database that only a target manager can create, with their names on the wire. */
  readonly database?: Readonly<Record<string, unknown>>;
  readonly uses?: NeededTarget;
  /** Another target that has to exist: the shared one, named `existing`. */
  readonly alongside?: "processed";
  /** Sent first; their responses do not matter. */
  readonly before?: (at: Situation) => readonly RequestParts[];
  readonly request: (at: Situation) => RequestParts;
  readonly expected: (at: Situation) => Expected;
}

/** The lower-case words of a text, joined with hyphens. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join("-") ?? "";
