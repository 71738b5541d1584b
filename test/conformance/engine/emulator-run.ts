import type { ProfileName } from "mock-cloud-reco";
import type { DatabaseKeys, ServiceUnderTest } from "../../support/backends.ts";
import { Run } from "./run.ts";
import type { Verified } from "./verified.ts";
import { wireClient } from "./wire-client.ts";

export const PROCESSING_SECONDS = 2;

export const overTheWire = wireClient(30);

const NEVER = new AbortController().signal;

/** Tries facts at an emulator, with its clock instead of waiting. */
export async function factRun(
  {
    clock,
    urls,
    ...service
  }: Pick<ServiceUnderTest, "urls" | "clock"> & {
    addCloudDatabase(): DatabaseKeys | Promise<DatabaseKeys>;
  },
  { profile, ...changes }: { readonly profile: ProfileName } & Partial<Verified>,
): Promise<Run> {
  return new Run({
    urls,
    keys: {
      ...(await service.addCloudDatabase()),
      modelTargetClientId: "client-id",
      modelTargetClientSecret: "client-secret",
      modelTargetUsername: "user@example.com",
      modelTargetPassword: "password",
    },
    profile,
    write: true,
    send: overTheWire,
    clock: { now: () => clock.now(), sleep: async (seconds) => clock.advance(seconds) },
    waitSeconds: 60,
    prefix: "verify-test-",
    stopped: NEVER,
    closed: NEVER,
    ...changes,
  });
}
