import { DEFAULT_PROFILE, PROFILE_NAMES } from "../emulator/profiles.ts";
import { show } from "../emulator/text.ts";
import { openApiDocument } from "../openapi/document.ts";
import { type ExitCode, readOptions, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";

/** `mock-cloud-reco openapi`: prints the OpenAPI document of the four APIs. */
export async function printOpenApi(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions(args, {
    profile: { type: "string" },
    help: { type: "boolean", short: "h" },
  });
  if (values.help === true) {
    terminal.print(HELP.openapi);
    return 0;
  }
  const given = values.profile ?? DEFAULT_PROFILE;
  const profile = PROFILE_NAMES.find((name) => name === given);
  if (profile === undefined) {
    throw new UsageError(`--profile: expected ${PROFILE_NAMES.join(" or ")}; got ${show(given)}`);
  }
  terminal.print(`${JSON.stringify(openApiDocument({ profile }), null, 2)}\n`);
  return 0;
}
