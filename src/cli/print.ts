import { DEFAULT_PROFILE, PROFILE_NAMES } from "../emulator/profiles.ts";
import { show } from "../emulator/text.ts";
import { flatPicture, samplePicture } from "../mock/pictures.ts";
import { openApiDocument } from "../openapi/document.ts";
import type { PictureOptions } from "../schema/picture.ts";
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

/** `mock-cloud-reco picture`: prints a picture for tests. */
export async function printPicture(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = readOptions(
    args,
    {
      format: { type: "string" },
      width: { type: "string" },
      height: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    { words: 1 },
  );
  const [which] = positionals;
  if (values.help === true) {
    terminal.print(HELP.picture);
    return 0;
  }
  if (which === undefined) throw new UsageError('expected a number, or "flat"; got nothing');
  // Checked where the picture is drawn.
  const options = {
    ...(values.format !== undefined && { format: values.format.toUpperCase() }),
    ...(values.width !== undefined && { width: numberIn(values.width) }),
    ...(values.height !== undefined && { height: numberIn(values.height) }),
  } as PictureOptions;
  terminal.print(
    which === "flat" ? await flatPicture(options) : await samplePicture(numberIn(which), options),
  );
  return 0;
}

/** What is not a number is passed on, so that the error shows it. */
const numberIn = (text: string): number => (/^\d+$/.test(text) ? Number(text) : (text as never));
