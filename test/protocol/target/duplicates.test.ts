import { exactMatcher, fixedRater } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { makePng } from "../../support/png.ts";
import { add, addProcessed, flatImage, json, PROCESSING_SECONDS, send } from "./requests.ts";

const duplicates = async (service: ServiceUnderTest, keys: DatabaseKeys, id: string) =>
  json(await send(service, keys, { method: "GET", path: `/duplicates/${id}` })).similar_targets;
const image = (fill: number) => makePng({ fill: (index) => (index * fill) & 255 }).toString("base64");

describeBackends("duplicates", (backend) => {
  const open = (options: object) =>
    backend.open({ processingTimeSeconds: PROCESSING_SECONDS, targetRater: fixedRater(5), ...options });

  it("are other active targets that are processed and whose image matches", async () => {
    await using service = await open({ duplicatesMatcher: exactMatcher });
    const keys = await service.addCloudDatabase();
    const [same, another] = [image(7), image(11)];
    const id = await add(service, keys, { image: same, name: "1" });
    const twin = await add(service, keys, { image: same, name: "2" });
    await add(service, keys, { image: same, name: "3", active_flag: false });
    await add(service, keys, { image: another, name: "4" });
    const second = await add(service, keys, { image: same, name: "5" });
    expect(await duplicates(service, keys, id)).toEqual([]);
    service.clock.advance(PROCESSING_SECONDS);
    await add(service, keys, { image: same, name: "still processing" });
    expect(await duplicates(service, keys, id)).toEqual([twin, second].toSorted());
    await send(service, keys, { method: "DELETE", path: `/targets/${twin}` });
    expect(await duplicates(service, keys, id)).toEqual([second]);
  });

  it("are empty for a failed target", async () => {
    await using service = await open({ duplicatesMatcher: () => 1 });
    const keys = await service.addCloudDatabase();
    const failed = await add(service, keys, { image: flatImage.toString("base64"), name: "1" });
    const good = await addProcessed(service, keys, { image: image(7), name: "2" });
    const another = await addProcessed(service, keys, { image: image(11), name: "3" });
    expect(await duplicates(service, keys, failed)).toEqual([]);
    expect(await duplicates(service, keys, good)).toEqual([another]);
  });
});
