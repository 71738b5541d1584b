import type * as Engine from "./engine.ts";

/** Loads what works on images when the first one arrives: most of it is not needed by most test files. */
const engine = (): Promise<typeof Engine> => import("./engine.ts");

export const assessImage: typeof Engine.assessImage = async (...given) =>
  (await engine()).assessImage(...given);

export const compareThumbnails: typeof Engine.compareThumbnails = async (...given) =>
  (await engine()).compareThumbnails(...given);

export const drawPicture: typeof Engine.drawPicture = async (...given) =>
  (await engine()).drawPicture(...given);

export const encodePixels: typeof Engine.encodePixels = async (...given) =>
  (await engine()).encodePixels(...given);

export const inspectQueryImage: typeof Engine.inspectQueryImage = async (...given) =>
  (await engine()).inspectQueryImage(...given);

export const inspectTargetImage: typeof Engine.inspectTargetImage = async (...given) =>
  (await engine()).inspectTargetImage(...given);

export const rankTargets: typeof Engine.rankTargets = async (...given) =>
  (await engine()).rankTargets(...given);

export const rateByBrisque: typeof Engine.rateByBrisque = async (...given) =>
  (await engine()).rateByBrisque(...given);

export const whyNotDecoded: typeof Engine.whyNotDecoded = async (...given) =>
  (await engine()).whyNotDecoded(...given);

/** A failure is ignored: whoever needs the result computes it again. */
export const prepareInBackground: typeof Engine.prepareInBackground = (image) => {
  engine().then(
    (loaded) => loaded.prepareInBackground(image),
    () => {},
  );
};
