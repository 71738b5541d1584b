import type * as Engine from "./engine.ts";

let loading: Promise<typeof Engine> | undefined;
let loaded: typeof Engine | undefined;

/** Loads what works on images when the first one arrives: most test files never need it. */
function engine(): Promise<typeof Engine> {
  loading ??= import("./engine.ts").then((module) => {
    loaded = module;
    return module;
  });
  return loading;
}

export const assessImage: typeof Engine.assessImage = async (...given) =>
  (await engine()).assessImage(...given);

export const compareImages: typeof Engine.compareImages = async (...given) =>
  (await engine()).compareImages(...given);

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

/** At once if it can be: `isolate` and `restore` call this for each image, for which promises double their time. */
export const prepareInBackground: typeof Engine.prepareInBackground = (image) => {
  if (loaded !== undefined) return loaded.prepareInBackground(image);
  // A failure is ignored: whoever needs the result computes it again.
  engine().then(
    (module) => module.prepareInBackground(image),
    () => {},
  );
};
