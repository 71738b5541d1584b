import { type ClockSetting, UNMOVED } from "../../emulator/clock.ts";
import { type FaultEffect, faultRule } from "../../emulator/faults.ts";
import type { HeaderList, WireRequest, WireResponse } from "../../emulator/message.ts";
import { systemRandom } from "../../emulator/random.ts";
import { faultFromJson } from "../../schema/fault.ts";
import { type FaultQuestion, type SharedState, StateUnavailableError } from "../backing.ts";
import { decoded, pack, unpack } from "../codec.ts";
import { answerParts, CALLS, CHANGE_HEADER, INTERNAL_PREFIX, type StateCalls } from "./protocol.ts";

/**
 * Sends one request to the target manager, and again when its connection breaks.
 *
 * @throws StateUnavailableError when there is no response.
 */
export type ManagerExchange = (request: WireRequest) => Promise<WireResponse>;

/**
 * State that a target manager keeps, accessed over HTTP.
 *
 * @throws StateUnavailableError from every method while the manager cannot be reached.
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
  readonly reset = this.call("reset");
  readonly snapshot = this.call("snapshot");
  readonly readClock = this.call("readClock");
  readonly putJournal = this.call("putJournal");
  /** The manager rates it itself. */
  readonly putImage: SharedState["putImage"] = (bytes) => this.rateImage(bytes);
  /** The snapshot holds all its images. */
  readonly restore: SharedState["restore"] = (snapshot) => this.restoreAll(snapshot);
  private readonly rateImage = this.call("putImage");
  private readonly restoreAll = this.call("restore");
  private readonly chosenFault = this.call("chooseFault");

  constructor(private readonly exchange: ManagerExchange) {}

  async chooseFault({ api, operation, database }: FaultQuestion): Promise<FaultEffect | undefined> {
    const chosen = await this.chosenFault({ api, operation, database });
    return chosen && faultRule(faultFromJson(chosen.fault), chosen.addedAt);
  }

  private call<Name extends keyof StateCalls>(name: Name): StateCalls[Name] {
    const path = INTERNAL_PREFIX + name;
    const { reads, returns } = CALLS[name];
    const call = async (...given: readonly unknown[]) => {
      const body = pack(given);
      const change: HeaderList = reads ? [] : [[CHANGE_HEADER, systemRandom.hex(16)]];
      const headers: HeaderList = [...change, ["Content-Length", String(body.length)]];
      const response = await this.exchange({ method: "POST", path, query: "", headers, body });
      if (response.status !== 200) {
        const said = response.status < 500 ? `: ${response.body.toString()}` : "";
        throw new StateUnavailableError(`the target manager answered ${path} with ${response.status}${said}`);
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
    };
    return call as StateCalls[Name];
  }
}
