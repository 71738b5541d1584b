import type { ProfileName } from "mock-cloud-reco";
import { header, messageOf } from "../../support/values.ts";
import { ANSWERS } from "../rows.ts";
import type { Additions } from "./additions.ts";
import { type AddedTarget, Database, fieldsOf, leavesTarget } from "./database.ts";
import { type Difference, differences } from "./differences.ts";
import { Exchanges, isTrouble, NotTried } from "./exchanges.ts";
import {
  type Fact,
  KEY_PAIRS,
  type Keys,
  PROFILE_NAMES,
  type Received,
  type RequestParts,
  type Situation,
} from "./fact.ts";
import { Manager } from "./manager.ts";
import { ModelTargets } from "./model-targets.ts";
import { hasKeys, whyNot } from "./preconditions.ts";
import { placeholder, TOKEN } from "./situation.ts";
import type { Verified } from "./verified.ts";

/** What trying a fact showed. */
export type Outcome = { readonly fact: Fact; readonly response?: Received } & (
  | { readonly result: "holds" }
  | { readonly result: "differs"; readonly differences: readonly Difference[] }
  | { readonly result: "notTried"; readonly why: string }
);

/** Tries facts at one service, one after the other, and removes what that added. */
export class Run {
  /** What must not be shown: secret keys, and tokens. */
  readonly secrets = new Set<string>();
  readonly #exchanges: Exchanges;
  readonly #manager: Manager | undefined;
  /** The database of the keys, and the one that was created because there are none. */
  readonly #databases = new Map<"given" | "created", Database>();
  #modelTargets: ModelTargets | undefined;
  #count = 0;
  /** Never rejects. */
  #underWay: Promise<Outcome> | undefined;

  constructor(private readonly verified: Verified) {
    this.#exchanges = new Exchanges(verified);
    const { manager } = verified.urls;
    if (manager !== undefined) this.#manager = new Manager(manager, this.#exchanges, verified);
    this.#keepSecrets(verified.keys);
  }

  /** Why a fact cannot be tried here, if that is known without asking the service. */
  whyNot(fact: Fact): string | undefined {
    return whyNot(fact, this.verified);
  }

  get isStopped(): boolean {
    return this.verified.stopped.aborted;
  }

  /** The other profile, if the service's responses have its headers instead of the chosen one's. */
  async otherProfile(api: "target" | "query"): Promise<ProfileName | undefined> {
    const request =
      api === "target" ? { method: "GET", path: "/summary" } : { method: "POST", path: "/v1/query" };
    try {
      const response = await this.#exchanges.send(api, { ...request, headers: {} }, { isSafe: true });
      const isOf = (name: ProfileName) => header(response, ANSWERS.profiles[name].region) !== undefined;
      return isOf(this.verified.profile) ? undefined : PROFILE_NAMES.find(isOf);
    } catch {
      // The facts will say what is wrong.
      return undefined;
    }
  }

  try(fact: Fact): Promise<Outcome> {
    const trying = this.#try(fact);
    this.#underWay = trying;
    return trying;
  }

  async #try(fact: Fact): Promise<Outcome> {
    const why = this.whyNot(fact) ?? this.#exchanges.away(fact.api);
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
    const outcome = await this.#compared(fact, at, database);
    if (target !== undefined && (fact.uses === "own" || fact.uses === "new")) {
      if (leavesTarget(fact, at())) database.release(target);
    }
    return outcome;
  }

  async #tryModelTarget(fact: Fact): Promise<Outcome> {
    const added = await this.#modelTargetAdditions();
    const anywhere = placeholder(this.verified, this.verified.clock.now());
    const usesToken = [...(fact.before ?? []), fact.request].some((make) =>
      Object.values(make(anywhere).headers).some((value) => value.includes(TOKEN)),
    );
    const token = usesToken ? await added.token() : TOKEN;
    return this.#compared(fact, () => ({ ...this.#situation(added.keys), token }), added);
  }

  /** Sends what comes before, then the request until its response is final, and compares that with the expected one. */
  async #compared(fact: Fact, situation: () => Situation, additions: Additions): Promise<Outcome> {
    const send = (request: RequestParts, expected?: number): Promise<Received> => {
      const isSafe = fact.needs === "reading" || request.method === "GET";
      return additions.send(fact.api, request, { isSafe, expected });
    };
    const before: Received[] = [];
    const at = (): Situation => ({ ...situation(), given: (name) => givenBy(before, name) });
    for (const make of fact.before ?? []) before.push(await send(make(at())));
    const attempt = async () => {
      const now = at();
      const expected = fact.expected(now);
      return { expected, response: await send(fact.request(now), expected.status) };
    };
    const isEarly = (response: Received): boolean => fact.again?.(response) === true;
    const { result, seconds } = await this.#exchanges.repeat(attempt, ({ response }) => !isEarly(response));
    const { expected, response } = result;
    const found = differences(expected, response);
    if (found.length === 0) return { fact, response, result: "holds" };
    const notTried = (why: string): Outcome => ({ fact, response, result: "notTried", why });
    if (isEarly(response)) return notTried(`still not ready after ${Math.round(seconds)} s`);
    if (isTrouble(response.status, expected.status))
      return notTried(`the service answered ${response.status}`);
    return { fact, response, result: "differs", differences: found };
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
    return new Database(keys, this.#exchanges, () => this.#situation(keys), databaseName);
  }

  async #modelTargetAdditions(): Promise<ModelTargets> {
    if (this.#modelTargets !== undefined) return this.#modelTargets;
    const { keys } = this.verified;
    const own = hasKeys(keys, "model-target") ? keys : { ...keys, ...(await this.#managed().credential()) };
    this.#keepSecrets(own);
    this.#modelTargets = new ModelTargets(own, this.#exchanges, (secret) => this.secrets.add(secret));
    return this.#modelTargets;
  }

  #managed(): Manager {
    if (this.#manager === undefined) throw new NotTried("needs --manager-url");
    return this.#manager;
  }

  #keepSecrets(keys: Keys): void {
    for (const [, name] of KEY_PAIRS) if (keys[name] !== undefined) this.secrets.add(keys[name]);
  }

  #situation(keys: Keys): Situation {
    const { verified } = this;
    this.#count += 1;
    return {
      ...placeholder(verified, verified.clock.now()),
      targetId: "0".repeat(32),
      newName: `${verified.prefix}new-${this.#count}`,
      keys,
    };
  }

  /** Removes everything that the run added, and returns what could not be removed. */
  async close(): Promise<readonly string[]> {
    // A test runner does not wait for a test that it stops, which may be adding something.
    await this.#underWay;
    this.#exchanges.startClosing();
    // A database that the run created takes its targets with it.
    return [
      ...((await this.#databases.get("given")?.cleanUp()) ?? []),
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
