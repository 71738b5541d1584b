import type { ProfileName } from "mock-cloud-reco";
import type { Verified } from "../engine/verified.ts";

/** What the options of `npm run verify` say. Keys come from the environment. */
export interface VerifySettings {
  readonly urls: Verified["urls"];
  readonly profile: ProfileName;
  readonly isProfileChosen: boolean;
  readonly write: boolean;
  readonly spend: boolean;
  /** Ids of facts. */
  readonly facts: readonly string[];
  readonly timeoutSeconds: number;
  readonly waitSeconds: number;
  /** The file that gets what the service answered. */
  readonly evidence: string | undefined;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly verify: VerifySettings;
  }
}
