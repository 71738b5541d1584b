import { describe, expect, it } from "vitest";
import { collectGarbage } from "../../support/collect-garbage.ts";
import { makePng, pngChunk } from "../../support/png.ts";
import { LAGS, lagOf, opened, other, poster } from "./shop.ts";

function usedMegabytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

describe("a lag", () => {
  it("lasts exactly as long as the option says, whatever the processing time", async () => {
    const all = opened({ realism: LAGS, processingTimeSeconds: 10 });
    const id = await all.shop.add("poster");
    all.clock.advance(1.999);
    expect((await all.shop.get(id)).status).toBe(404);
    expect(lagOf(all)).toBe("not yet visible: added 1.999 s ago, visible after 2 s (realism)");
    all.clock.advance(0.001);
    expect((await all.shop.get(id)).json.status).toBe("processing");
    expect(lagOf(all)).toBeUndefined();
  });

  it("shows the record as it was at each moment of several changes, and never makes a target unknown again", async () => {
    const all = opened({ realism: { visibilityLagSeconds: 10 } });
    const id = await all.shop.add("first");
    all.clock.advance(10);
    const seen: unknown[] = [];
    for (const name of ["second", "third", undefined, undefined, undefined]) {
      if (name !== undefined) await all.shop.update(id, { name });
      all.clock.advance(4);
      seen.push((await all.shop.get(id)).json.target_record.name);
    }
    expect(seen).toEqual(["first", "first", "second", "third", "third"]);
  });

  it("of an update shows the old status while the target is processed again", async () => {
    const all = opened({ realism: LAGS, processingTimeSeconds: 60 });
    const { targetId } = await all.mock.addTarget(all.database, {
      name: "poster",
      image: poster,
      processed: true,
    });
    await all.shop.update(targetId, { width: 2 });
    const statuses = [(await all.shop.get(targetId)).json.status];
    expect(lagOf(all)).toMatch(/^not yet visible: updated 0 s ago/);
    expect((await all.shop.update(targetId, { width: 3 })).json.result_code).toBe("TargetStatusNotSuccess");
    all.clock.advance(2);
    statuses.push((await all.shop.get(targetId)).json.status);
    expect(statuses).toEqual(["success", "processing"]);
  });

  it("of a deletion is over at once for GET and the list, and does not free the name late", async () => {
    const all = opened({ realism: LAGS });
    const id = await all.shop.add("poster");
    all.clock.advance(2);
    await all.shop.delete(id);
    expect((await all.shop.get(id)).status).toBe(404);
    expect(all.mock.requests.at(-1)).toMatchObject({ resultCode: "UnknownTarget" });
    expect(await all.shop.list()).toEqual([]);
    expect(lagOf(all)).toBeUndefined();
    expect(await all.shop.add("poster")).toMatch(/^\w{32}$/);
    expect(await all.shop.find()).toEqual([id]);
  });

  it("keeps the order of what is found", async () => {
    const { mock, database, clock, shop } = opened({ realism: LAGS });
    const arranged = { image: poster, processed: true };
    const { targetId } = await mock.addTarget(database, { name: "first", ...arranged });
    clock.advance(1);
    await mock.addTarget(database, { name: "second", ...arranged });
    await shop.delete(targetId);
    expect(await shop.find()).toEqual([targetId]);
  });

  it("hides nothing that is gone when the clock is set back", async () => {
    const all = opened({ realism: LAGS });
    const id = await all.shop.add("poster");
    all.clock.advance(2);
    await all.shop.delete(id);
    all.clock.advance(-1);
    expect([await all.shop.list(), lagOf(all)]).toEqual([[], undefined]);
  });

  it("holds a deleted target's picture and metadata", async () => {
    const all = opened({ realism: LAGS });
    const application_metadata = Buffer.from("of the poster").toString("base64");
    const { targetId } = await all.mock.addTarget(all.database, {
      name: "poster",
      image: poster,
      processed: true,
      applicationMetadata: application_metadata,
    });
    await all.shop.delete(targetId);
    await all.shop.find();
    expect(JSON.parse(String(all.mock.requests.at(-1)?.response?.body)).results).toMatchObject([
      { target_id: targetId, target_data: { name: "poster", application_metadata } },
    ]);
  });

  it("of a deletion ends with the memory of pictures and metadata, also while the summary does not count it", async () => {
    const all = opened({ realism: LAGS, journalBodyBytes: 0 });
    const add = async (index: number) => {
      const image = makePng({ before: [pngChunk("tEXt", Buffer.alloc(500_000, index))] });
      const applicationMetadata = Buffer.alloc(500_000, 1);
      return all.mock.addTarget(all.database, { name: `poster ${index}`, image, applicationMetadata });
    };
    const targets = await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
    for (const { targetId } of targets) await all.shop.delete(targetId);
    targets.length = 0;
    all.clock.advance(4);
    await all.shop.find();
    const held = usedMegabytes();
    all.clock.advance(1);
    await all.shop.find();
    // Weak references keep an object until the turn ends.
    await expect.poll(usedMegabytes).toBeLessThan(held - 15);
    expect(lagOf(all)).toBeUndefined();
    await all.shop.summary();
    expect(lagOf(all)).toMatch(/^not yet counted: deleted 5 s ago, counted after 60 s; and 19 more/);
  });

  it("hides a target from changes and instances too, and its name is taken", async () => {
    const all = opened({ realism: LAGS });
    const id = await all.shop.add("poster");
    const body = { instance_id: "1" };
    const answers = [
      await all.shop.update(id, { width: 2 }),
      await all.shop.delete(id),
      await all.shop.send("POST", `/targets/${id}/instances`, body),
      await all.shop.send("POST", "/targets", {
        name: "poster",
        width: 1,
        image: poster.toString("base64"),
      }),
    ];
    expect(answers.map(({ json }) => json.result_code)).toEqual([
      ...["UnknownTarget", "UnknownTarget", "UnknownTarget", "TargetNameExist"],
    ]);
    all.clock.advance(2);
    const later = await all.shop.send("POST", `/targets/${id}/instances`, body);
    expect(later.json.result_code).toBe("InvalidTargetType");
  });

  it("is that of the latest change", async () => {
    const all = opened({ realism: LAGS });
    const { targetId } = await all.mock.addTarget(all.database, {
      name: "poster",
      image: poster,
      processed: true,
    });
    await all.shop.update(targetId, { name: "renamed" });
    all.clock.advance(1);
    await all.shop.delete(targetId);
    await all.shop.find();
    expect(lagOf(all)).toBe("still found: deleted 0 s ago, gone after 5 s (realism)");
  });

  it("of the summary undoes what clients changed, by status, and keeps what the test arranged", async () => {
    const all = opened({ realism: { summaryLagSeconds: 60 } });
    const { mock, database, shop } = all;
    const add = (name: string) => mock.addTarget(database, { name, image: poster, processed: true });
    const [deleted, switchedOff] = [await add("deleted"), await add("switched off")];
    await shop.add("added");
    await shop.delete(deleted.targetId);
    await shop.update(switchedOff.targetId, { active_flag: false });
    await shop.delete(await shop.add("added and deleted"));
    const counts = async () => {
      const { active_images: active, inactive_images: inactive } = (await shop.summary()).json;
      return { active, inactive };
    };
    expect(await counts()).toEqual({ active: 2, inactive: 0 });
    expect(lagOf(all)).toBe("not yet counted: updated 0 s ago, counted after 60 s; and 2 more (realism)");
    await add("arranged");
    expect(await counts()).toEqual({ active: 3, inactive: 0 });
    all.clock.advance(60);
    expect(await counts()).toEqual({ active: 2, inactive: 1 });
    expect(lagOf(all)).toBeUndefined();
  });

  it("is noted only where it changes an answer", async () => {
    const all = opened({ realism: LAGS });
    const { mock, database, shop } = all;
    const { targetId } = await mock.addTarget(database, { name: "same", image: poster, processed: true });
    const lags: unknown[] = [];
    const noting = async (asking: Promise<unknown>) => {
      await asking;
      lags.push(lagOf(all));
    };
    await shop.update(targetId, { name: "same" });
    await noting(shop.get(targetId));
    await noting(shop.summaryOf(targetId));
    await noting(shop.summary());
    await noting(shop.find(other));
    await noting(shop.find());
    await noting(
      shop.duplicatesOf((await mock.addTarget(database, { name: "twin", image: poster })).targetId),
    );
    await shop.delete(targetId);
    await noting(shop.find(other));
    await noting(shop.list());
    await shop.add("replacement");
    await noting(shop.summary());
    expect(lags).toEqual(lags.map(() => undefined));
  });

  it("is named for a target that a query did not consider", async () => {
    const all = opened({ realism: LAGS });
    const id = await all.shop.add("poster");
    await all.shop.find(other);
    expect(all.mock.requests.at(-1)).toMatchObject({
      considered: [
        {
          targetId: id,
          matched: false,
          why: "not yet visible: added 0 s ago, visible after 2 s (realism)",
        },
      ],
    });
    expect(lagOf(all)).toBeUndefined();
  });

  it("is named beside a fault that delays the answer, and not if the fault replaces it", async () => {
    const all = opened({ realism: LAGS, delay: async () => {} });
    const id = await all.shop.add("poster");
    const fault = all.mock.addFault({ delaySeconds: 1 });
    await all.shop.get(id);
    await all.shop.list();
    for (const { reason } of all.mock.requests.slice(-2))
      expect(reason).toMatch(/^the response was delayed by 1 s, by .*; not yet visible: .* \(realism\)$/);
    fault.remove();
    all.mock.addFault({ response: { status: 418 }, executed: true });
    expect((await all.shop.get(id)).status).toBe(418);
    expect(all.mock.requests.at(-1)?.reason).toMatch(/^answered with 418, the request was executed, by /);
  });

  it("shows the counts that the test sets", async () => {
    const { mock, database, shop } = opened({ realism: LAGS });
    const { targetId } = await mock.addTarget(database, { name: "before", image: poster, processed: true });
    await shop.update(targetId, { name: "after" });
    mock.setRecognitionCounts(database, targetId, { totalRecos: 7 });
    expect((await shop.summaryOf(targetId)).json).toMatchObject({ target_name: "before", total_recos: 7 });
  });
});

describe("what a test arranges itself", () => {
  it("is seen at once, also if it changes what a client changed", async () => {
    const all = opened({ realism: LAGS });
    const { mock, database, shop } = all;
    const arranged = await mock.addTarget(database, { name: "arranged", image: poster, processed: true });
    expect((await shop.get(arranged.targetId)).status).toBe(200);

    const added = await shop.add("added", other);
    await mock.updateTarget(database, added, { name: "changed" });
    expect((await shop.get(added)).json.target_record.name).toBe("changed");

    await shop.update(arranged.targetId, { width: 2 });
    mock.deleteTarget(database, arranged.targetId);
    expect((await shop.get(arranged.targetId)).status).toBe(404);
    expect(await shop.find()).toEqual([]);
    expect((await shop.summary()).json.active_images).toBe(1);
  });

  it("through the target manager's requests is, too", async () => {
    const all = opened({ realism: LAGS });
    const url = `${all.mock.urls.manager}/cloud_databases/${all.database.databaseName}/targets`;
    const body = JSON.stringify({ name: "arranged", width: 1, image_base64: poster.toString("base64") });
    const response = await all.mock.fetch(url, { method: "POST", body });
    expect([response.status, (await all.shop.list()).length]).toEqual([201, 1]);
  });
});
