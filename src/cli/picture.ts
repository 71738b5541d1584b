import { flatPicture, samplePicture } from "../mock/pictures.ts";
import type { PictureOptions } from "../schema/picture.ts";
import { type ExitCode, readOptions, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";

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
