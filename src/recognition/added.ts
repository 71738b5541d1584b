import { inBackground, yieldToEventLoop } from "../core/general/scheduling.ts";
import type { ComparedImage } from "../core/images/matching/comparison.ts";
import type { NewImage } from "../core/schema/target.ts";
import { QUERY_SEARCH, type TargetFeatures } from "./extract.ts";
import { featuresOfQuery, imageOf, targetFeatures, usePassesOfQuery } from "./pictures.ts";
import { Pyramid } from "./pixels.ts";
import { lookFor } from "./recognise.ts";
import { addToIndex, shortlist } from "./shortlist.ts";

let isRehearsed = false;

/** Finds the features of an image that is added, and puts them into the index. */
export async function prepareAdded({ bytes, sha256 }: NewImage): Promise<void> {
  const image = imageOf(bytes, sha256);
  const features = await targetFeatures.of(image);
  if (features === null) return;
  const indexed = await addToIndex(features);
  if (indexed === undefined || isRehearsed) return;
  isRehearsed = true;
  inBackground(() => rehearse(image, indexed));
}

/**
 * Looks for targets once, for nothing: engines run code several times as fast once it has been used, and the first query among many
 * targets should take no longer than later ones.
 */
async function rehearse(image: ComparedImage, targets: readonly TargetFeatures[]): Promise<void> {
  // Memory takes longer to get than to search. A target's picture is smaller than photographs are.
  const pixels = new Pyramid({ data: new Uint8Array(1280 * 960), width: 1280, height: 960 });
  await featuresOfQuery({ pixels, level: 0, search: QUERY_SEARCH, verified: 0 });
  pixels.level(1);
  await usePassesOfQuery(image, async (passes) => {
    for (const pass of passes) {
      const query = await featuresOfQuery(pass);
      // One more, because so few would be compared without the index.
      for (const target of await shortlist(query, [...targets, null], pass.verified)) {
        await yieldToEventLoop();
        lookFor(target, query, 0);
      }
    }
  });
}
