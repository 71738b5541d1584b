import type { HeaderList, ProfileName } from "mock-cloud-reco";

/** The profiles in `answers.yaml`; `vuforia`: what the real service was observed to do. */
export const PROFILE_NAMES = ["neutral", "vuforia"] as const satisfies readonly ProfileName[];

/** The APIs that facts are about. */
export const FACT_APIS = ["target", "query", "model-target"] as const;
export type FactApi = (typeof FACT_APIS)[number];

export const KNOWN_BY = ["observed", "documented", "specified", "assumed"] as const;

/** How a fact is known: README.md says what each kind means. */
export interface Known {
  readonly by: (typeof KNOWN_BY)[number];
  /** The source; or, of what is assumed, why nobody knows. */
  readonly how: string;
}

/** The keys that each API needs, and the password grant: an id, and a secret that is never shown. */
export const API_KEYS = {
  target: ["serverAccessKey", "serverSecretKey"],
  query: ["clientAccessKey", "clientSecretKey"],
  "model-target": ["modelTargetClientId", "modelTargetClientSecret"],
  user: ["modelTargetUsername", "modelTargetPassword"],
} as const satisfies Readonly<Record<FactApi | "user", readonly [id: string, secret: string]>>;
export const KEY_PAIRS = Object.values(API_KEYS);
type KeyName = (typeof KEY_PAIRS)[number][number];

/** The keys of one database. Its id is known only if a target manager created it. */
export type Keys = { readonly [Name in KeyName | "databaseId"]?: string | undefined };

/** The environment variable of a key: `SERVER_ACCESS_KEY`. */
export const variableOf = (name: KeyName): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A request as it is sent. */
export interface RequestParts {
  readonly method: string;
  /** Without the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** A `Content-Length` that is not the body's length; no client library sends it. */
  readonly contentLength?: string | undefined;
  /** Offers HTTP/2 besides HTTP/1.1, which takes TLS. */
  readonly offersHttp2?: boolean;
  /** The second of a minute in which it is sent, whatever the rates are; `quiet`: a minute after the last one. */
  readonly moment?: { readonly second: number; readonly quiet?: boolean | undefined };
}

/** What a request may refer to. */
export interface Situation {
  readonly profile: ProfileName;
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
  /** A field of the responses to what the fact sent before; in a dry run its name. */
  readonly given: (name: string) => string;
}

/** Makes a request in a situation. */
export type MakeRequest = (at: Situation) => RequestParts;

/**
 * A target in the database: one that is processed, shared by many facts; or one that the fact may change: processed, still
 * being processed, or of one colour, so that its processing fails.
 */
export const NEEDED_TARGETS = ["processed", "own", "new", "failed"] as const;
export type NeededTarget = (typeof NEEDED_TARGETS)[number];

/**
 * `reading`: changes nothing. `writing`: adds something, or would if the fact were false. `spending`: costs a training of a
 * dataset, or sends more than the documented rates.
 */
export const NEEDS = ["reading", "writing", "spending"] as const;

/** A response, exactly. In values and bodies, `<id>` and the like stand for what varies: see `README.md`. */
export interface Expected {
  readonly status: number;
  /** All headers but `Content-Length`, in any order, with their case. Absent: not compared. */
  readonly headers?: HeaderList;
  readonly body: string;
  /** Whether `100 Continue` comes first. Absent: not compared. */
  readonly continued?: boolean;
  /** The protocol that the service chooses. Absent: not compared. */
  readonly protocol?: string;
}

/** A response as it was on the wire. */
export interface Received {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  readonly continued?: boolean;
  readonly protocol?: string;
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
  /** What has to be allowed before it is tried. */
  readonly needs: (typeof NEEDS)[number];
  /** Needs an https URL. */
  readonly overTls?: boolean;
  /** Its length is shorter than its body: over a socket, the rest is another request, which comes last in a journal. */
  readonly isCut?: true;
  /** False: fetch sends no body with `GET`, always accepts gzip, or does not show 100. */
  readonly byFetch?: false;
  /** Keys beside those of its API. */
  readonly keys?: "user";
  /** Settings of a database that only a target manager can create, with their names on the wire. */
  readonly database?: Readonly<Record<string, unknown>>;
  /** The real service gives every database these settings: without a target manager, the database of the keys will do. */
  readonly isUsual?: boolean;
  /** Settings of a VuMark database and of its only target, with their names on the wire; a target manager creates them. */
  readonly template?: {
    readonly database?: Readonly<Record<string, unknown>>;
    readonly target?: Readonly<Record<string, unknown>>;
  };
  readonly uses?: NeededTarget;
  /** Another target that has to exist: the shared one, named `existing`. */
  readonly alongside?: "processed";
  /** Sent first; their responses' fields are given to what follows. */
  readonly before?: readonly MakeRequest[];
  readonly request: MakeRequest;
  /** Whether the response says that the request must be sent again later. */
  readonly again?: (response: Received) => boolean;
  readonly expected: (at: Situation) => Expected;
}
