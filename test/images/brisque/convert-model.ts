/*
 * Converts OpenCV's BRISQUE model into src/core/images/ratings/brisque/model-data.ts, once. The two files come with Debian's package
 * opencv-data: tsx test/images/brisque/convert-model.ts /usr/share/opencv4/quality
 */
import { readFile, writeFile } from "node:fs/promises";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("name the folder of brisque_model_live.yml and brisque_range_live.yml");
const model = await readFile(`${folder}/brisque_model_live.yml`, "utf8");
const range = await readFile(`${folder}/brisque_range_live.yml`, "utf8");

const numbers = (list: string | undefined) =>
  (list ?? "")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
const lists = (text: string) => [...text.matchAll(/\[([^\]]*)\]/g)].flatMap(([, list]) => numbers(list));
const decision = model.indexOf("decision_functions:");
const vectors = lists(model.slice(model.indexOf("support_vectors:"), decision));
const coefficients = lists(model.slice(decision, model.indexOf("index:", decision) + 1 || undefined));
const bounds = lists(range);
if (coefficients.length !== 774 || vectors.length !== 774 * 36 || bounds.length !== 2 * 36) {
  throw new Error(
    `unexpected model: ${coefficients.length} vectors, ${vectors.length} values, ${bounds.length} bounds`,
  );
}
const scalar = (name: string) => Number(new RegExp(`${name}: (\\S+)`).exec(model)?.[1]);
if (vectors.some((value) => Math.abs(value) > 1)) throw new Error("unexpected model: values outside -1..1");
/** -1..1 in 2^20 steps, which changes no score by more than 0.01: the package's rating has used them from the beginning. */
const inSteps = (value: number) => (Math.round(((value + 1) / 2) * 0xfffff) / 0xfffff) * 2 - 1;
const floats = Float32Array.from([...vectors.map(inSteps), ...coefficients, ...bounds]);

await writeFile(
  new URL("../../../src/core/images/ratings/brisque/model-data.ts", import.meta.url),
  `/*!
 * The BRISQUE model of OpenCV (brisque_model_live.yml and brisque_range_live.yml of the contributed module "quality"),
 * converted by test/images/brisque/convert-model.ts.
 *
 * Copyright OpenCV Foundation and contributors, licensed under the Apache License, Version 2.0:
 * https://www.apache.org/licenses/LICENSE-2.0. Changed: the format and the precision.
 *
 * The method: A. Mittal, A. K. Moorthy and A. C. Bovik, "No-Reference Image Quality Assessment in the Spatial Domain",
 * IEEE Transactions on Image Processing, 2012. With thanks to the authors, at the Laboratory for Image and Video
 * Engineering of the University of Texas at Austin.
 */

/**
 * Base64 of little-endian 32-bit floats: 774 support vectors of 36 values, -1..1 in 2^20 steps; the coefficient of each; the minimum,
 * then the maximum, of each of the 36 features.
 */
export const floats =
  "${Buffer.from(floats.buffer).toString("base64")}";

/** Of the radial basis functions. */
export const gamma = ${scalar("gamma")};
/** The offset of the score. */
export const rho = ${scalar("rho")};
`,
);
