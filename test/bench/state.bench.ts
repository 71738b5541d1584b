import { MockCloudReco } from "mock-cloud-reco";
import { scene } from "../support/scenes.ts";
import { type Bench, medianTime } from "./measure.ts";

const TARGETS = 200;

/** Getting a database back between two tests: by a snapshot, and by adding its targets again. */
export const bench: Bench = {
  async run() {
    using mock = new MockCloudReco({ targetRater: () => 5 });
    const database = mock.addCloudDatabase();
    const images = await Promise.all(Array.from({ length: TARGETS }, (_, index) => scene(index, 160, 120)));
    const addAll = async () => {
      for (const [index, image] of images.entries()) {
        await mock.addTarget(database, { name: String(index), image, processed: true });
      }
    };
    const empty = mock.snapshot();
    const adding = await medianTime(3, async () => {
      mock.restore(empty);
      await addAll();
    });
    const snapshot = mock.snapshot();
    const read = JSON.parse(JSON.stringify(snapshot));
    const again = { baseline: "adding them again", baselineMilliseconds: adding };
    return [
      {
        name: `restore of ${TARGETS} targets`,
        milliseconds: await medianTime(100, () => mock.restore(snapshot)),
        ...again,
        atLeast: 100,
      },
      {
        name: "the same, from JSON",
        milliseconds: await medianTime(20, () => mock.restore(read)),
        ...again,
      },
      { name: "snapshot", milliseconds: await medianTime(20, () => mock.snapshot()), ...again },
      { name: "an empty run", milliseconds: await medianTime(20, () => mock.isolate(() => {})), ...again },
    ];
  },
};
