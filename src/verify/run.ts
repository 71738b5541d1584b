import { header } from "../emulator/message.ts";
import { PROFILE_NAMES, type ProfileName, profiles } from "../emulator/profiles.ts";
import { messageOf } from "../emulator/text.ts";
import { Manager, ModelTargets } from "./additions.ts";
import type { Send } from "./client.ts";
import { type AddedTarget, Database, type DatabaseRun, fieldsOf, leavesTarget } from "./database.ts";
import { Exchanges, isTrouble, NotTried, Unsent } from "./exchanges.ts";
import { type Fact, KEY_PAIRS, type Keys, type Received, type RequestParts, type Situation } from "./fact.ts";
import { hasKeys, placeholder, TOKEN, type Verified, whyNot } from "./plan.ts";
import { type Difference, differences } from "./template.ts";

/** A request of a run, and its response. */
export interface Exchange {
  readonly request: RequestParts;
  readonly response: Received;
  /** What the expected response refers to. */
  readonly at: Situation;
  /** What of earlier responses it refers to. */
  readonly given: Readonly<Record<string, string>>;
}

/** What trying a fact showed. */
export type Outcome = { readonly fact: Fact; readonly exchange?: Exchange } & (
  | { readonly result: "holds" }
  | { readonly result: "differs"; readonly differences: readonly Difference[] }
  | { readonly result: "notTried"; readonly why: string }
);

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 15;

/** Tries facts at one service, one after the other, and removes what that added. */
export class Run {
  /** What must not be shown: secret keys, and tokens. */
  readonly secrets = new Set<string>();
  readonly #exchanges: Exchanges;
  readonly #manager: Manager | undefined;
  readonly #databaseRun: DatabaseRun;
  /** The database of the keys, and the one that was created because there are none. */
  readonly #databases = new Map<"given" | "created", Database>();
  #modelTargets: ModelTargets | undefined;
  #count = 0;

  constructor(private readonly verified: Verified) {
    const { urls, send, prefix, clock, waitSeconds, stopped, closed } = verified;
    const { target, query, modelTarget, manager } = urls;
    const service = { urls: { target, query, "model-target": modelTarget }, send, clock, stopped, closed };
    this.#exchanges = new Exchanges(service);
    if (manager !== undefined) {
      const bounded: Send = (url, request) => send(url, request, this.#exchanges.signal);
      this.#manager = new Manager({ url: manager, send: bounded, prefix });
    }
    this.#keepSecrets(verified.keys);
    this.#databaseRun = {
      send: (request, isSafe) => this.#exchanges.send("target", request, { isSafe }),
      sleep: (seconds) => clock.sleep(seconds),
      situation: this.#situation,
      waitSeconds,
      isStopped: () => this.#exchanges.signal.aborted,
    };
  }

  /** The other profile, if the service's responses have its headers instead of the chosen one's. */
  async otherProfile(api: "target" | "query"): Promise<ProfileName | undefined> {
    const request =
      api === "target" ? { method: "GET", path: "/summary" } : { method: "POST", path: "/v1/query" };
    try {
      const response = await this.#exchanges.send(api, { ...request, headers: {} }, { isSafe: true });
      const own = profiles[this.verified.profile];
      if (header(response, own.regionHeader) !== undefined) return undefined;
      return PROFILE_NAMES.find((name) => header(response, profiles[name].regionHeader) !== undefined);
    } catch {
      // The facts will say what is wrong.
      return undefined;
    }
  }

  async try(fact: Fact): Promise<Outcome> {
    const why = whyNot(fact, this.verified) ?? this.#exchanges.away(fact.api);
    if (why !== undefined) return { fact, result: "notTried", why };
    try {
      return fact.api === "model-target" ? await this.#tryModelTarget(fact) : await this.#tryTarget(fact);
    } catch (error) {
      return { fact, result: "notTried", why: error instanceof NotTried ? error.message : messageOf(error) };
    }
  }

  async #tryTarget(fact: Fact): Promise<Outcome> {
    const { database, target } = await this.#prepared(fact);
    const at = (): Situation => ({ ...this.#situation(database.keys), ...target });
    const send = async (request: RequestParts, expected?: number) => {
      if (request.method === "POST" && request.path === "/targets") await database.noteTargets();
      try {
        const response = await this.#exchange(fact, request, expected);
        database.note(request, response);
        return response;
      } catch (error) {
        if (!(error instanceof Unsent)) database.noteLost(request);
        throw error;
      }
    };
    const outcome = await this.#compared(fact, at, send);
    if (target !== undefined && (fact.uses === "own" || fact.uses === "new")) {
      if (leavesTarget(fact, at())) database.release(target);
    }
    return outcome;
  }

  async #tryModelTarget(fact: Fact): Promise<Outcome> {
    const database = await this.#modelTargetAdditions();
    const anywhere = placeholder(this.verified, this.verified.clock.now());
    const usesToken = [...(fact.before ?? []), fact.request].some((make) =>
      Object.values(make(anywhere).headers).some((value) => value.includes(TOKEN)),
    );
    const token = usesToken ? await database.token() : TOKEN;
    const at = (): Situation => ({ ...this.#situation(database.keys), token });
    return this.#compared(fact, at, async (request, expected) => {
      try {
        const response = await this.#exchange(fact, request, expected);
        database.note(request, response);
        return response;
      } catch (error) {
        if (!(error instanceof Unsent)) database.noteLost(request, messageOf(error));
        throw error;
      }
    });
  }

  #exchange({ api, needs }: Fact, request: RequestParts, expected?: number): Promise<Received> {
    const isSafe = needs === "reading" || request.method === "GET";
    return this.#exchanges.send(api, request, { isSafe, ...(expected !== undefined && { expected }) });
  }

  /** Sends what comes before, then the request until its response is final, and compares that with the expected one. */
  async #compared(
    fact: Fact,
    situation: () => Situation,
    send: (request: RequestParts, expected?: number) => Promise<Received>,
  ): Promise<Outcome> {
    const before: Received[] = [];
    const at = (): Situation => ({ ...situation(), given: (name) => givenBy(before, name) });
    for (const make of fact.before ?? []) before.push(await send(make(at())));
    let pause = FIRST_PAUSE_SECONDS;
    for (let waited = 0; ; waited += pause, pause = Math.min(LONGEST_PAUSE_SECONDS, pause * 1.5)) {
      const now = at();
      const request = fact.request(now);
      const given: Record<string, string> = {};
      const expected = fact.expected({
        ...now,
        given: (name) => {
          given[name] = now.given(name);
          return given[name];
        },
      });
      const response = await send(request, expected.status);
      const isLate = waited >= this.verified.waitSeconds || this.#exchanges.signal.aborted;
      if (fact.again?.(response) === true && !isLate) {
        await this.verified.clock.sleep(pause);
        continue;
      }
      const exchange = { request, response, at: now, given };
      const found = differences(expected, response);
      if (found.length === 0) return { fact, result: "holds", exchange };
      if (fact.again?.(response) === true)
        return { fact, result: "notTried", why: `still not ready after ${Math.round(waited)} s`, exchange };
      if (isTrouble(response.status, expected.status))
        return { fact, result: "notTried", why: `the service answered ${response.status}`, exchange };
      return { fact, result: "differs", differences: found, exchange };
    }
  }

  /** The database whose keys a fact uses, and the target that it uses there. */
  async #prepared({ api, database: settings, isUsual, template, uses, alongside }: Fact): Promise<{
    readonly database: Database;
    readonly target?: AddedTarget | undefined;
  }> {
    if (template !== undefined) {
      const made = await this.#managed().template(template.database ?? {}, template.target ?? {});
      return { database: this.#databaseWith(made.keys, made.databaseName), target: made };
    }
    const isOwn = settings === undefined || (isUsual === true && this.#manager === undefined);
    const database = isOwn ? await this.#sharedDatabase(api) : await this.#newDatabase(settings);
    const target = uses === undefined ? undefined : await database.target(uses);
    if (alongside !== undefined) await database.target(alongside);
    return { database, target };
  }

  async #sharedDatabase(api: Fact["api"]): Promise<Database> {
    const { keys, write } = this.verified;
    const which = hasKeys(keys, api) || this.#manager === undefined || !write ? "given" : "created";
    const database =
      this.#databases.get(which) ??
      (which === "given" ? this.#databaseWith(keys) : await this.#newDatabase({}));
    this.#databases.set(which, database);
    return database;
  }

  async #newDatabase(settings: Readonly<Record<string, unknown>>): Promise<Database> {
    const { keys, databaseName } = await this.#managed().cloudDatabase(settings);
    return this.#databaseWith(keys, databaseName);
  }

  #databaseWith(keys: Keys, databaseName?: string): Database {
    this.#keepSecrets(keys);
    return new Database(keys, this.#databaseRun, databaseName);
  }

  async #modelTargetAdditions(): Promise<ModelTargets> {
    if (this.#modelTargets !== undefined) return this.#modelTargets;
    const { keys } = this.verified;
    const own = hasKeys(keys, "model-target") ? keys : { ...keys, ...(await this.#managed().credential()) };
    this.#keepSecrets(own);
    this.#modelTargets = new ModelTargets(
      own,
      (request, sending) => this.#exchanges.send("model-target", request, sending),
      (secret) => this.secrets.add(secret),
    );
    return this.#modelTargets;
  }

  #managed(): Manager {
    if (this.#manager === undefined) throw new NotTried("needs --manager-url");
    return this.#manager;
  }

  #keepSecrets(keys: Keys): void {
    for (const [, name] of KEY_PAIRS) if (keys[name] !== undefined) this.secrets.add(keys[name]);
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

  /** Removes everything that the run added, and returns what could not be removed. */
  async close(): Promise<readonly string[]> {
    this.#exchanges.startClosing();
    // A database that the run created takes its targets with it.
    const targets = await this.#databases
      .get("given")
      ?.cleanUp((seconds) => this.verified.clock.sleep(seconds));
    return [
      ...(targets ?? []),
      ...((await this.#modelTargets?.cleanUp()) ?? []),
      ...((await this.#manager?.cleanUp()) ?? []),
    ];
  }
}

/** A field of the latest of these responses that has it. */
function givenBy(responses: readonly Received[], name: string): string {
  const value = responses.map((response) => fieldsOf(response)[name]).findLast((one) => one !== undefined);
  if (value !== undefined) return String(value);
  throw new NotTried(
    `no ${name} in the response to what comes before: ${responses.map(({ status }) => status).join(", ")}`,
  );
}
