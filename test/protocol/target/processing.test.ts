import { brisqueRater, fixedRater, samplePicture } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { ALL } from "../../support/combinations.ts";
import { makePng } from "../../support/png.ts";
import {
  acceptedImage,
  add,
  addProcessed,
  flatImage,
  json,
  newTarget,
  PROCESSING_SECONDS,
  send,
} from "./requests.ts";

const record = async (service: ServiceUnderTest, keys: DatabaseKeys, id: string) => {
  const content = json(await send(service, keys, { method: "GET", path: `/targets/${id}` }));
  return { status: content.status, ...(content.target_record as Record<string, unknown>) };
};
const summary = async (service: ServiceUnderTest, keys: DatabaseKeys, id = "") =>
  json(await send(service, keys, { method: "GET", path: id === "" ? "/summary" : `/summary/${id}` }));
const update = (service: ServiceUnderTest, keys: DatabaseKeys, id: string, body: object) =>
  send(service, keys, { method: "PUT", path: `/targets/${id}`, body });
const remove = (service: ServiceUnderTest, keys: DatabaseKeys, id: string) =>
  send(service, keys, { method: "DELETE", path: `/targets/${id}` });
const list = async (service: ServiceUnderTest, keys: DatabaseKeys) =>
  json(await send(service, keys, { method: "GET", path: "/targets" })).results;

describeBackends("the life of a target", (backend) => {
  const open = (options = {}) =>
    backend.open({ processingTimeSeconds: PROCESSING_SECONDS, targetRater: fixedRater(5), ...options });

  it("is processing until exactly the processing time has passed, and rated from half of it on", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys);
    expect(await record(service, keys, id)).toMatchObject({ status: "processing", tracking_rating: -1 });
    service.clock.advance(PROCESSING_SECONDS / 2 - 0.001);
    expect(await record(service, keys, id)).toMatchObject({ status: "processing", tracking_rating: -1 });
    service.clock.advance(0.001);
    expect(await record(service, keys, id)).toMatchObject({ status: "processing", tracking_rating: 5 });
    service.clock.advance(PROCESSING_SECONDS / 2 - 0.001);
    expect(await record(service, keys, id)).toMatchObject({ status: "processing" });
    service.clock.advance(0.001);
    expect(await record(service, keys, id)).toMatchObject({ status: "success", tracking_rating: 5 });
  });

  it("fails when its image has one colour", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await addProcessed(service, keys, { image: flatImage.toString("base64") });
    expect(await record(service, keys, id)).toMatchObject({ status: "failed", tracking_rating: 5 });
    expect(await summary(service, keys)).toMatchObject({ active_images: 0, failed_images: 1 });
  });

  it("is rated after the answer, and whoever reads the rating earlier waits for it", async () => {
    await using service = await open({ processingTimeSeconds: 0, targetRater: brisqueRater });
    const keys = await service.addCloudDatabase();
    const pictures = await Promise.all([1, 2, 3, 4].map((number) => samplePicture(number)));
    const ids = [];
    for (const [number, picture] of pictures.entries())
      ids.push(await add(service, keys, { name: `${number}`, image: picture.toString("base64") }));
    // The last one first: it is still being rated.
    const ratings = await Promise.all(
      ids.toReversed().map(async (id) => (await summary(service, keys, id)).tracking_rating),
    );
    expect(ratings.reverse()).toEqual(await Promise.all(pictures.map((picture) => brisqueRater(picture))));
    const [updated = "", deleted = ""] = ids;
    await update(service, keys, updated, { image: pictures[3]?.toString("base64") });
    await remove(service, keys, deleted);
    expect(await summary(service, keys, updated)).toMatchObject({ tracking_rating: ratings[3] });
    expect(await list(service, keys)).toHaveLength(3);
  });

  it("is processed at once with a processing time of 0", async () => {
    await using service = await open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys);
    expect(await record(service, keys, id)).toMatchObject({ status: "success", tracking_rating: 5 });
  });

  it("keeps processing when the clock is set back", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys);
    service.clock.advance(-3600);
    expect(await record(service, keys, id)).toMatchObject({ status: "processing", tracking_rating: -1 });
    const second = await add(service, keys, { name: "second" });
    service.clock.advance(3600 + PROCESSING_SECONDS);
    expect(await record(service, keys, id)).toMatchObject({ status: "success" });
    expect(await list(service, keys)).toEqual([second, id]);
  });

  it("is updated, and processed again without losing its rating", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await addProcessed(service, keys);
    expect((await update(service, keys, id, { name: "new", width: 2.5, active_flag: false })).status).toBe(
      200,
    );
    expect(await record(service, keys, id)).toMatchObject({
      status: "processing",
      name: "new",
      width: 2.5,
      active_flag: false,
      tracking_rating: 5,
    });
    const again = await update(service, keys, id, {});
    expect([again.status, json(again).result_code]).toEqual([403, "TargetStatusNotSuccess"]);
    service.clock.advance(PROCESSING_SECONDS);
    expect(await summary(service, keys)).toMatchObject({ active_images: 0, inactive_images: 1 });
  });

  it("can keep its name in an update, and frees its old name", async () => {
    await using service = await open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys, { name: "old" });
    expect((await update(service, keys, id, { name: "old" })).status).toBe(200);
    expect((await update(service, keys, id, { name: "new" })).status).toBe(200);
    expect(await add(service, keys, { name: "old" })).not.toBe(id);
  });

  it.each(["active_flag", "application_metadata"])(
    "answers 400 when an update sets %s to null",
    async (field) => {
      await using service = await open({ processingTimeSeconds: 0 });
      const keys = await service.addCloudDatabase();
      const id = await add(service, keys);
      const response = await update(service, keys, id, { [field]: null, name: "changed" });
      expect([response.status, json(response).result_code]).toEqual([400, "Fail"]);
      expect(await record(service, keys, id)).toMatchObject({ name: "target" });
    },
  );

  it("answers 403 when it is deleted while processing, and 404 after its deletion", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys);
    const refused = await remove(service, keys, id);
    expect([refused.status, json(refused).result_code]).toEqual([403, "TargetStatusProcessing"]);
    expect(await list(service, keys)).toEqual([id]);
    service.clock.advance(PROCESSING_SECONDS);
    expect((await remove(service, keys, id)).status).toBe(200);
    expect(await list(service, keys)).toEqual([]);
    for (const path of [`/targets/${id}`, `/summary/${id}`, `/duplicates/${id}`]) {
      expect(json(await send(service, keys, { method: "GET", path })).result_code).toBe("UnknownTarget");
    }
    expect((await remove(service, keys, id)).status).toBe(404);
    expect(await add(service, keys)).not.toBe(id);
  });

  it("is listed in the order of its upload, whatever changed since; by id when the clock stood still", async () => {
    await using service = await open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    const ids = [];
    for (const name of ["a", "b", "c", "d"]) {
      ids.push(await add(service, keys, { name }));
      service.clock.advance(0.001);
    }
    await update(service, keys, String(ids[1]), { name: "z" });
    await remove(service, keys, String(ids[2]));
    expect(await list(service, keys)).toEqual([ids[0], ids[1], ids[3]]);
    const later = [];
    for (const name of ["e", "f", "g", "h"]) later.push(await add(service, keys, { name }));
    service.clock.advance(-60);
    const first = await add(service, keys, { name: "i" });
    expect(await list(service, keys)).toEqual([first, ids[0], ids[1], ids[3], ...later.toSorted()]);
  });

  it("is not counted by setting its recognition counts, and not touched otherwise", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await addProcessed(service, keys);
    await service.setRecognitionCounts(keys, id, { currentMonthRecos: 3, totalRecos: 9 });
    expect(await summary(service, keys, id)).toMatchObject({
      status: "success",
      current_month_recos: 3,
      previous_month_recos: 0,
      total_recos: 9,
    });
  });

  it("is processed with the name U+FFFF", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const id = await addProcessed(service, keys, { name: "\uffff" });
    expect(await record(service, keys, id)).toMatchObject({ name: "\uffff", status: "success" });
  });

  it.runIf(ALL || backend.overSockets)(
    "is created once when 200 requests ask for its name at the same time",
    async () => {
      await using service = await open();
      const keys = await service.addCloudDatabase();
      const responses = await Promise.all(
        Array.from({ length: 200 }, () =>
          send(service, keys, { method: "POST", path: "/targets", body: newTarget() }),
        ),
      );
      const codes = responses.map((response) => json(response).result_code);
      expect(codes.filter((code) => code === "TargetCreated")).toHaveLength(1);
      expect(codes.filter((code) => code === "TargetNameExist")).toHaveLength(199);
    },
  );

  it("never exceeds the target quota when many are added at the same time", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase({ targetQuota: 5 });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(service, keys, {
          method: "POST",
          path: "/targets",
          body: newTarget({ name: `target ${index}` }),
        }),
      ),
    );
    const codes = responses.map((response) => json(response).result_code);
    expect(codes.filter((code) => code === "TargetCreated")).toHaveLength(5);
    expect(codes.filter((code) => code === "TargetQuotaReached")).toHaveLength(15);
  });

  it("lets the last of duplicate keys win, and ignores a query string", async () => {
    await using service = await open();
    const keys = await service.addCloudDatabase();
    const text = JSON.stringify(newTarget()).replace("{", '{"name":"first","width":-1,');
    const response = await send(service, keys, { method: "POST", path: "/targets?ignored=1", body: text });
    expect(response.status).toBe(201);
    expect(await record(service, keys, String(json(response).target_id))).toMatchObject({
      name: "target",
      width: 1,
    });
  });

  it.each(["neutral", "vuforia"] as const)("accepts base64 in lines: %s", async (profile) => {
    await using service = await open({ profile });
    const keys = await service.addCloudDatabase();
    const inLines = (text: string, length: number, end: string) =>
      text.replace(new RegExp(`.{1,${length}}`, "g"), `$&${end}`);
    const large = makePng({ width: 700, height: 700 });
    for (const [name, bytes, length, end] of [
      ["of Python", acceptedImage, 60, "\n"],
      ["of MIME", acceptedImage, 76, "\r\n"],
      ["of one character", acceptedImage, 1, "\r"],
      ["of a large image", large, 60, "\n"],
    ] as const) {
      const image = inLines(bytes.toString("base64"), length, end);
      const id = await add(service, keys, { name, image, application_metadata: "YWJj\nYWJj\n" });
      expect((await service.latest()).reason).toBe(
        "leave it, or encode without line breaks: application_metadata is base64 in lines of 4 characters, whose breaks are skipped; " +
          `leave it, or encode without line breaks: image is base64 in lines of ${length} characters, whose breaks are skipped`,
      );
      expect((await service.latest()).request?.body.image?.bytes).toEqual(bytes);
      service.clock.advance(PROCESSING_SECONDS);
      expect(await record(service, keys, id)).toMatchObject({ status: "success" });
      expect((await update(service, keys, id, { image: inLines(image, 5, "\n") })).status).toBe(200);
    }
    const refused = await send(service, keys, {
      method: "POST",
      path: "/targets",
      body: newTarget({ name: "x", image: "AA\n A" }),
    });
    expect([refused.status, json(refused).result_code]).toEqual([422, "Fail"]);
    expect((await service.latest()).reason).toContain('the character " " at position 4 of 5');
  });
});
