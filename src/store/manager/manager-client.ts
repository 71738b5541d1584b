import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import { type FaultEffect, faultRule } from "../../emulator/faults.ts";
import type { HeaderList, WireRequest, WireResponse } from "../../emulator/message.ts";
import { systemRandom } from "../../emulator/random.ts";
import { faultFromJson } from "../../schema/fault.ts";
import { type FaultQuestion, type SharedState, StateUnavailableError } from "../backing.ts";
import { decoded, pack, type StoredImage, unpack } from "../codec.ts";
import { answerParts, CALLS, CHANGE_HEADER, INTERNAL_PREFIX, type StateCalls } from "./protocol.ts";

/** The target manager cannot be reached, or another server answers in its place. The message is one line. */
export class ManagerUnavailableError extends StateUnavailableError {
  override readonly name = "ManagerUnavailableError";
}

/**
 * Sends one request to the target manager, and again when its connection breaks.
 *
 * @throws ManagerUnavailableError when there is no response.
 */
export type ManagerExchange = (request: WireRequest) => Promise<WireResponse>;

/**
 * State that a target manager keeps, accessed over HTTP.
 *
 * @throws ManagerUnavailableError from every method while the manager cannot be reached.
 */
export class ManagerClient implements SharedState {
  /** The clock setting of the manager and so of all servers, as of its latest response. */
  clock: ClockSetting = UNMOVED;
  hasFaults = false;
  journalEra = "0";

  readonly read = this.call("read");
  readonly list = this.call("list");
  readonly create = this.call("create");
  readonly commit = this.call("commit");
  readonly takeRateToken = this.call("takeRateToken");
  readonly getImage = this.call("getImage");
  readonly getSummaries = this.call("getSummaries");
  readonly getRatings = this.call("getRatings");
  readonly reset = this.call("reset");
  readonly snapshot = this.call("snapshot");
  readonly readClock = this.call("readClock");
  readonly putJournal = this.call("putJournal");
  private readonly storedImage = this.call("putImage");
  private readonly whole = this.call("restore");
  private readonly chosenFault = this.call("chooseFault");

  constructor(private readonly exchange: ManagerExchange) {}

  /** The manager rates it itself. */
  putImage(bytes: Buffer): Promise<StoredImage> {
    return this.storedImage(bytes);
  }

  /** The snapshot holds all its images. */
  async restore(snapshot: unknown): Promise<string | undefined> {
    return this.whole(snapshot);
  }

  async chooseFault({ api, operation, database }: FaultQuestion): Promise<FaultEffect | undefined> {
    const chosen = await this.chosenFault({ api, operation, database });
    return chosen && faultRule(faultFromJson(chosen.fault), chosen.addedAt);
  }

  private call<Name extends keyof StateCalls>(name: Name): StateCalls[Name] {
    const call = async (...given: readonly unknown[]) => this.ask(name, given);
    return call as StateCalls[Name];
  }

  /** @throws ManagerUnavailableError when there is no response, or it is none to this request. */
  private async ask(name: keyof StateCalls, given: readonly unknown[]): Promise<unknown> {
    const { reads, returns } = CALLS[name];
    const path = INTERNAL_PREFIX + name;
    const body = pack(given);
    const change: HeaderList = reads === true ? [] : [[CHANGE_HEADER, systemRandom.hex(16)]];
    const headers: HeaderList = [...change, ["Content-Length", String(body.length)]];
    const response = await this.exchange({ method: "POST", path, query: "", headers, body });
    if (response.status !== 200) {
      const said = response.status < 500 ? `: ${response.body.toString()}` : "";
      throw new ManagerUnavailableError(`the target manager answered ${path} with ${response.status}${said}`);
    }
    const [result, clock, hasFaults, journalEra] = decoded(
      answerParts,
      await unpack(response.body),
      "answer",
    );
    this.clock = clock;
    this.hasFaults = hasFaults;
    this.journalEra = journalEra;
    return decoded<unknown>(returns, result, name);
  }
}
