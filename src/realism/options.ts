import * as z from "zod/mini";
import { checked, textReadBy } from "../core/schema/zod/problems.ts";
import { optional, record } from "../core/schema/zod/record.ts";
import { deferred, fromZeroToOne, seconds, trueOrFalse } from "../core/schema/zod/values.ts";

/** Makes a mock as inconsistent as the real service. Omitted fields are 0: the mock is consistent. */
export interface RealismOptions {
  /** For how long a target that a client added is unknown, and one that a client updated looks as before. */
  readonly visibilityLagSeconds?: number;
  /** For how long queries and duplicates still find a target that a client deleted. */
  readonly deletionLagSeconds?: number;
  /** After how long the summary of a database counts what a client added, updated or deleted. */
  readonly summaryLagSeconds?: number;
  /** The share of the requests above a rate limit that are answered all the same, from 0 to 1. */
  readonly looseLimits?: number;
  /** The share of Model Target and OAuth 2.0 requests that the load balancer fails, from 0 to 1. */
  readonly gatewayErrorRate?: number;
}

export type RealismValues = Required<RealismOptions>;

const CONSISTENT: RealismValues = {
  visibilityLagSeconds: 0,
  deletionLagSeconds: 0,
  summaryLagSeconds: 0,
  looseLimits: 0,
  gatewayErrorRate: 0,
};

/** The meaning of `true`. Public sessions show each effect, but no measurements exist. */
export const REALISM_PRESET: RealismValues = {
  visibilityLagSeconds: 1,
  deletionLagSeconds: 5,
  summaryLagSeconds: 120,
  // 17 to 37 of 40 requests were accepted where the limit was 15.
  looseLimits: 0.5,
  gatewayErrorRate: 0.05,
};

const WORDS = `true, false, or an object with ${Object.keys(CONSISTENT).join(", ")}`;

export const realismOption = deferred(WORDS, () =>
  z.union([
    trueOrFalse,
    record<RealismOptions>(
      optional({
        visibilityLagSeconds: seconds,
        deletionLagSeconds: seconds,
        summaryLagSeconds: seconds,
        looseLimits: fromZeroToOne,
        gatewayErrorRate: fromZeroToOne,
      }),
    ),
  ]),
);

export const realismSetting = deferred(`${WORDS}, as JSON`, () =>
  z.union([trueOrFalse, textReadBy("JSON", (given) => checked("realism", realismOption, JSON.parse(given)))]),
);

/** Returns undefined if nothing differs from a consistent mock. */
export function realismValues(option: boolean | RealismOptions = false): RealismValues | undefined {
  const values = { ...CONSISTENT, ...(option === true ? REALISM_PRESET : option) };
  return Object.values(values).some((value) => value > 0) ? values : undefined;
}
