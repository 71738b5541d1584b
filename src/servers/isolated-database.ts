import { ALL_SCOPES } from "../apis/model-target/checks.ts";
import type { JournalEntry } from "../emulator/journal.ts";
import type { EmulatorControl } from "../mock/emulator-control.ts";
import type { EmulatorParts } from "../mock/emulator-parts.ts";
import type { FaultHandle } from "../mock/fault.ts";
import type { MockCloudDatabase } from "../mock/mock-database.ts";
import { describeRequests } from "../mock/request-filter.ts";
import type { ClientCredential } from "../schema/credential.ts";
import type { Fault } from "../schema/fault.ts";

/**
 * One worker's or test's part of servers that others use too. A request belongs to it if it uses one of the database's keys, or
 * a token that was issued for its credential.
 *
 * @example
 * using own = servers.isolated({ targetQuota: 10 });
 * await new MyClient(own.database).addTarget("poster", image);
 * expect(own.requests()).toMatchObject([{ operation: "addTarget", status: 201 }]);
 */
export class IsolatedDatabase implements Disposable {
  /** A database that no other test knows. */
  readonly database: MockCloudDatabase;
  /** A client for OAuth 2.0 and Model Targets. */
  readonly credential: ClientCredential;
  readonly #control: EmulatorControl;
  readonly #parts: EmulatorParts;
  readonly #stopListening: () => void;
  #entries: JournalEntry[] = [];
  #position: number;
  #generation: number;

  /** @internal */
  constructor(control: EmulatorControl, parts: EmulatorParts, database: MockCloudDatabase) {
    const { databaseName } = database;
    this.#control = control;
    this.#parts = parts;
    this.database = database;
    this.credential = {
      clientId: parts.random.hex(32),
      clientSecret: parts.random.hex(32),
      scopes: ALL_SCOPES,
      databaseName,
    };
    control.addCredential(this.credential);
    const { journal } = parts;
    this.#position = journal.position;
    this.#generation = journal.generation;
    this.#stopListening = journal.changed.on(() => this.#follow());
  }

  /** Returns the requests that belong to this database, oldest first; by default, the latest 1000, whatever others send. */
  requests(): readonly JournalEntry[] {
    return [...this.#entries];
  }

  /** Describes these requests as readable text, as `servers.explain()` does. */
  explain(): string {
    return describeRequests(this.#entries);
  }

  /** Makes requests fail, as `servers.addFault()` does, but only those that belong to this database. */
  addFault(fault: Omit<Fault, "database">): FaultHandle {
    return this.#control.addFault({ ...fault, database: this.database.databaseName });
  }

  /** Deletes the database, everything in it, and its credentials. Does nothing when called again. */
  remove(): void {
    this.#stopListening();
    this.#control.deleteDatabase(this.database);
    for (const { clientId, databaseName } of this.#control.credentials)
      if (databaseName === this.database.databaseName) this.#control.deleteCredential(clientId);
  }

  /** Calls {@link remove} at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.remove();
  }

  #follow(): void {
    const { journal } = this.#parts;
    if (journal.generation !== this.#generation) {
      this.#generation = journal.generation;
      this.#position = 0;
      this.#entries = [];
    }
    const added = journal.after(this.#position);
    this.#position = journal.position;
    const own = added.filter(({ database }) => database === this.database.databaseName);
    this.#entries.push(...own);
    this.#entries.splice(0, this.#entries.length - journal.capacity);
  }
}
