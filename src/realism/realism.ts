import type { ApiContext, Consistency, TargetsView } from "../core/apis/services.ts";
import { consistent } from "../core/apis/targets-view.ts";
import type { SharedFaults } from "../core/emulator/faults.ts";
import { createRandom, type Random } from "../core/emulator/random.ts";
import type { RecordsOf } from "../core/store/records.ts";
import { gatewayError, withGatewayErrors } from "./gateway-errors.ts";
import { LaggingView } from "./lagging-view.ts";
import { Lags } from "./lags.ts";
import { type RealismOptions, type RealismValues, realismValues } from "./options.ts";

const STEPS = 2 ** 32;

/** The option `realism`: changes are seen late, limits are loose, and requests fail by chance (decision 0009). */
export class Realism implements Consistency {
  private constructor(
    private readonly values: RealismValues,
    private readonly random: Random,
    private readonly lags: Lags,
  ) {}

  /** Draws from its own source: ids are the same with and without realism. */
  static from(option: boolean | RealismOptions | undefined, seed: string | number | undefined): Consistency {
    const values = realismValues(option);
    const ownSeed = seed === undefined ? undefined : `${seed}:realism`;
    return values === undefined ? consistent : new Realism(values, createRandom(ownSeed), new Lags(values));
  }

  view(context: ApiContext, records: RecordsOf): TargetsView {
    return new LaggingView(this.lags, context, records);
  }

  acceptsAboveLimit(): boolean {
    return this.#draws("looseLimits");
  }

  faults(own: SharedFaults): SharedFaults {
    if (this.values.gatewayErrorRate === 0) return own;
    return withGatewayErrors(own, () =>
      this.#draws("gatewayErrorRate") ? gatewayError(this.random) : undefined,
    );
  }

  /** The copy draws from the same source. */
  fork(): Realism {
    return new Realism(this.values, this.random, this.lags.fork());
  }

  end(): void {
    this.lags.end();
  }

  #draws(share: "looseLimits" | "gatewayErrorRate"): boolean {
    return this.values[share] > 0 && this.random.integer(STEPS) < this.values[share] * STEPS;
  }
}
