import { type ProfileName, profiles } from "../core/profiles.ts";
import { messageOf } from "../core/text.ts";
import type { Send } from "./client.ts";
import type { Fact, FactApi, Keys, RequestParts, Situation } from "./fact.ts";
import { type AddedTarget, fieldsOf, Home, type HomeRun, leavesTarget, Untried } from "./home.ts";
import { Pace, type RunClock } from "./pace.ts";
import { type Difference, differences, type Received } from "./template.ts";

/** A service to verify, and how. */
export interface Verified {
  readonly urls: {
    readonly target: string;
    readonly query: string;
    readonly modelTarget: string;
    /** A target manager like this package's: states, quotas and limits can then be tried. */
    readonly manager?: string | undefined;
  };
  readonly keys: Keys;
  readonly profile: ProfileName;
  /** Also sends requests that add and delete. */
  readonly write: boolean;
  readonly send: Send;
  readonly clock: RunClock;
  /** How long a target may be processed. */
  readonly waitSeconds: number;
  /** What everything begins with that is added. */
  readonly prefix: string;
  readonly isStopped: () => boolean;
}

/** A request of a run, and its response. */
export interface Exchange {
  readonly request: RequestParts;
  readonly response: Received;
}

/** What trying a fact showed. */
export type Outcome = { readonly fact: Fact; readonly exchange?: Exchange } & (
  | { readonly result: "holds" }
  | { readonly result: "differs"; readonly differences: readonly Difference[] }
  | { readonly result: "untried"; readonly why: string }
);

/** How the parts in front of a service say that it is busy or away. */
const TROUBLE = [429, 502, 503, 504];
const ATTEMPTS = 3;
/** After so many failures in a row, an API counts as away. */
const MOST_FAILURES = 5;
const LONGEST_PAUSE_SECONDS = 30;

const API_KEYS: Readonly<
  Record<FactApi, { readonly names: readonly (keyof Keys)[]; readonly hint: string }>
> = {
  target: {
    names: ["serverAccessKey", "serverSecretKey"],
    hint: "set SERVER_ACCESS_KEY and SERVER_SECRET_KEY",
  },
  query: {
    names: ["clientAccessKey", "clientSecretKey"],
    hint: "set CLIENT_ACCESS_KEY and CLIENT_SECRET_KEY",
  },
  "model-target": {
    names: ["modelTargetClientId", "modelTargetClientSecret"],
    hint: "set MODEL_TARGET_CLIENT_ID and MODEL_TARGET_CLIENT_SECRET",
  },
};

const TOKEN = "‹token›";

/** Why a fact cannot be tried at a service, if that is known without asking it. */
export function whyNot(
  fact: Fact,
  { urls, keys, write }: Pick<Verified, "urls" | "keys" | "write">,
): string | undefined {
  if ((fact.needs === "writing" || fact.database !== undefined) && !write) return "needs --write";
  if (fact.database !== undefined && urls.manager === undefined)
    return "needs a database in another state: --manager-url";
  const { names, hint } = API_KEYS[fact.api];
  const hasKeys = names.every((name) => keys[name] !== undefined && keys[name] !== "");
  return hasKeys || (urls.manager !== undefined && write) ? undefined : `no keys: ${hint}`;
}

/** A situation in which nothing was prepared, to show what would be sent. */
export const placeholder = (
  verified: Pick<Verified, "profile" | "keys" | "prefix">,
  now: Date,
): Situation => ({
  profile: profiles[verified.profile],
  now,
  keys: { databaseId: "‹database id›", ...verified.keys },
  targetId: "‹target id›",
  targetName: `${verified.prefix}existing`,
  named: (name) => verified.prefix + name,
  newName: `${verified.prefix}new`,
  token: TOKEN,
});

/** Tries facts at one service, one after the other, and removes what that added. */
export class Run {
  /** What must not be shown: secret keys, and tokens. */
  readonly secrets = new Set<string>();
  readonly #pace: Pace;
  readonly #homeRun: HomeRun;
  readonly #failures = new Map<FactApi, number>();
  readonly #databases: string[] = [];
  readonly #datasets: string[] = [];
  #home: Home | undefined;
  #token: string | undefined;
  #credential: Keys | undefined;
  #count = 0;
  /** When it is closing, requests are sent although it was stopped. */
  #isClosing = false;

  constructor(private readonly verified: Verified) {
    const { clock, waitSeconds, isStopped } = verified;
    this.#pace = new Pace(clock);
    this.#keepSecret(verified.keys);
    this.#homeRun = {
      send: (request, isSafe) => this.#exchange("target", request, isSafe),
      sleep: (seconds) => clock.sleep(seconds),
      situation: this.#situation,
      waitSeconds,
      isStopped,
    };
  }

  async try(fact: Fact): Promise<Outcome> {
    const why = whyNot(fact, this.verified) ?? this.#away(fact.api);
    if (why !== undefined) return { fact, result: "untried", why };
    try {
      return await this.#tryAt(await this.#homeOf(fact), fact);
    } catch (error) {
      return { fact, result: "untried", why: error instanceof Untried ? error.message : messageOf(error) };
    }
  }

  async #tryAt(home: Home, fact: Fact): Promise<Outcome> {
    const target = fact.uses === undefined ? undefined : await home.target(fact.uses);
    if (fact.alongside !== undefined) await home.target(fact.alongside);
    const token = await this.#tokenFor(fact);
    const at = (): Situation => ({ ...this.#situation(home.keys), ...target, token });
    const isSafe = fact.needs === "reading";
    for (const request of fact.before?.(at()) ?? []) await this.#exchange(fact.api, request, isSafe);
    const situation = at();
    const request = fact.request(situation);
    if (request.method === "POST" && request.path === "/targets") await home.noteTargets();
    const expected = fact.expected(situation);
    let response: Received;
    try {
      response = await this.#exchange(fact.api, request, isSafe, expected.status);
    } catch (error) {
      home.noteLost(request);
      throw error;
    }
    home.note(request, response);
    this.#noteDataset(request, response);
    if (target !== undefined && fact.uses !== "processed" && fact.uses !== "failed") {
      this.#giveBack(home, fact, target, situation);
    }
    const exchange = { request, response };
    const found = differences(expected, response);
    if (found.length === 0) return { fact, result: "holds", exchange };
    if (TROUBLE.includes(response.status) && response.status !== expected.status) {
      return { fact, result: "untried", why: `the service answered ${response.status}`, exchange };
    }
    return { fact, result: "differs", differences: found, exchange };
  }

  #giveBack(home: Home, fact: Fact, target: AddedTarget, at: Situation): void {
    if (leavesTarget(fact, at)) home.release(target);
  }

  #away(api: FactApi): string | undefined {
    if (this.verified.isStopped()) return "stopped before";
    return (this.#failures.get(api) ?? 0) >= MOST_FAILURES
      ? `the service failed ${MOST_FAILURES} times in a row`
      : undefined;
  }

  /** The database whose keys a fact uses. */
  async #homeOf({ api, database }: Fact): Promise<Home> {
    if (database !== undefined) return this.#createDatabase(database);
    if (api === "model-target") return this.#credentialHome();
    if (this.#home !== undefined) return this.#home;
    const { keys, urls, write } = this.verified;
    const { names } = API_KEYS[api];
    if (names.every((name) => keys[name] !== undefined) || urls.manager === undefined || !write) {
      this.#home = new Home(keys, this.#homeRun);
    } else {
      this.#home = await this.#createDatabase({});
    }
    return this.#home;
  }

  async #credentialHome(): Promise<Home> {
    const { keys, prefix, urls } = this.verified;
    if (
      keys.modelTargetClientId === undefined &&
      this.#credential === undefined &&
      urls.manager !== undefined
    ) {
      const created = {
        modelTargetClientId: `${prefix}client`,
        modelTargetClientSecret: `${prefix}client-secret`,
      };
      const scopes = ["modeltargets.all", "oauth2.clientcredentials.all"];
      const body = {
        client_id: created.modelTargetClientId,
        client_secret: created.modelTargetClientSecret,
        scopes,
      };
      await this.#manage("POST", "/oauth2_client_credentials", body);
      this.#credential = created;
      this.#keepSecret(created);
    }
    return new Home({ ...keys, ...this.#credential }, this.#homeRun);
  }

  async #createDatabase(settings: Readonly<Record<string, unknown>>): Promise<Home> {
    this.#count += 1;
    const database_name = `${this.verified.prefix}${this.#count}`;
    const response = await this.#manage("POST", "/cloud_databases", { database_name, ...settings });
    this.#databases.push(database_name);
    const record = new Map(Object.entries(fieldsOf(response)));
    const text = (name: string) => String(record.get(name) ?? "");
    const keys: Keys = {
      serverAccessKey: text("server_access_key"),
      serverSecretKey: text("server_secret_key"),
      clientAccessKey: text("client_access_key"),
      clientSecretKey: text("client_secret_key"),
      databaseId: text("database_id"),
    };
    this.#keepSecret(keys);
    return new Home(keys, this.#homeRun, database_name);
  }

  #keepSecret({ serverSecretKey, clientSecretKey, modelTargetClientSecret }: Keys): void {
    for (const secret of [serverSecretKey, clientSecretKey, modelTargetClientSecret]) {
      if (secret !== undefined) this.secrets.add(secret);
    }
  }

  async #manage(method: string, path: string, body?: object): Promise<Received> {
    const { urls, send } = this.verified;
    const request = {
      method,
      path,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    };
    const response = await send(urls.manager ?? "", request);
    if (response.status >= 300)
      throw new Untried(`the target manager answered ${response.status} to ${method} ${path}`);
    return response;
  }

  #situation = (keys: Keys): Situation => {
    const { verified } = this;
    this.#count += 1;
    return {
      ...placeholder(verified, verified.clock.now()),
      targetId: "0".repeat(32),
      newName: `${verified.prefix}new-${this.#count}`,
      keys,
    };
  };

  async #tokenFor(fact: Fact): Promise<string> {
    const probe = fact.request(placeholder(this.verified, this.verified.clock.now()));
    if (!Object.values(probe.headers).some((value) => value.includes(TOKEN))) return TOKEN;
    return this.#bearerToken();
  }

  async #bearerToken(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const { modelTargetClientId = "", modelTargetClientSecret = "" } = {
      ...this.verified.keys,
      ...this.#credential,
    };
    const basic = Buffer.from(`${modelTargetClientId}:${modelTargetClientSecret}`).toString("base64");
    const response = await this.#exchange(
      "model-target",
      {
        method: "POST",
        path: "/oauth2/token",
        headers: { Authorization: `Basic ${basic}`, "Content-Type": "application/x-www-form-urlencoded" },
        body: Buffer.from("grant_type=client_credentials"),
      },
      true,
    );
    const { access_token: token } = fieldsOf(response);
    if (typeof token !== "string") throw new Untried(`no token was issued: ${response.status}`);
    this.#token = token;
    this.secrets.add(token);
    return token;
  }

  /** Sends within the rates. What is safe is sent again when the service is busy, cuts the connection or is slow. */
  async #exchange(
    api: FactApi,
    request: RequestParts,
    isSafe: boolean,
    expected?: number,
  ): Promise<Received> {
    const { urls, send, clock } = this.verified;
    const baseUrl = { target: urls.target, query: urls.query, "model-target": urls.modelTarget }[api];
    const isStopped = () => this.verified.isStopped() && !this.#isClosing;
    for (let attempt = 1; ; attempt += 1) {
      await this.#pace.take(api, request, isStopped);
      if (isStopped()) throw new Untried("stopped before");
      try {
        const response = await send(baseUrl, request);
        const isTrouble = TROUBLE.includes(response.status) && response.status !== expected;
        if (!isTrouble) {
          this.#failures.set(api, 0);
          return response;
        }
        this.#pace.slowDown();
        // A request that was refused for its rate was not carried out.
        if (attempt >= ATTEMPTS || !(isSafe || response.status === 429)) {
          this.#countFailure(api);
          return response;
        }
        await clock.sleep(pauseAfter(response, attempt));
      } catch (error) {
        this.#pace.slowDown();
        if (attempt >= ATTEMPTS || !isSafe) {
          this.#countFailure(api);
          throw new Untried(`no response: ${messageOf(error)}`);
        }
        await clock.sleep(attempt);
      }
    }
  }

  #countFailure(api: FactApi): void {
    this.#failures.set(api, (this.#failures.get(api) ?? 0) + 1);
  }

  #noteDataset({ method, path }: RequestParts, response: Received): void {
    const { uuid } = fieldsOf(response);
    if (method === "POST" && response.status === 201 && typeof uuid === "string")
      this.#datasets.push(`${path}/${uuid}`);
  }

  /** Removes everything that the run added, and returns what could not be removed. */
  async close(): Promise<readonly string[]> {
    this.#isClosing = true;
    const left: string[] = [];
    if (this.#home !== undefined) {
      const targets = await this.#home.cleanUp((seconds) => this.verified.clock.sleep(seconds));
      left.push(...targets.map((id) => `target ${id}`));
    }
    for (const path of this.#datasets) if (!(await this.#deleteDataset(path))) left.push(`dataset ${path}`);
    const removals = [
      ...this.#databases.map((name) => `/cloud_databases/${name}`),
      ...(this.#credential === undefined
        ? []
        : [`/oauth2_client_credentials/${this.#credential.modelTargetClientId}`]),
    ];
    for (const path of removals) {
      await this.#manage("DELETE", path).catch(() => left.push(path));
    }
    return left;
  }

  async #deleteDataset(path: string): Promise<boolean> {
    try {
      const headers = { Authorization: `Bearer ${await this.#bearerToken()}` };
      const { status } = await this.#exchange("model-target", { method: "DELETE", path, headers }, true);
      return status === 200 || status === 404;
    } catch {
      return false;
    }
  }
}

/** What the service asks for, at most half a minute. */
function pauseAfter({ headers }: Received, attempt: number): number {
  const asked = Number(headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? Number.NaN);
  return Math.min(LONGEST_PAUSE_SECONDS, Number.isFinite(asked) ? Math.max(0, asked) : 2 ** attempt);
}
