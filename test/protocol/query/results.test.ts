import { exactMatcher, fixedRater } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { axiosClient, fetchClient, gotClient, nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";
import { goodPlan, imagePart } from "../../support/query-plan.ts";
import { add, flatImage, send as sendTargetRequest } from "../target/requests.ts";
import { decoded, results, START, sendPlan } from "./send.ts";

const image = makePng();
const base64 = (bytes: Buffer) => bytes.toString("base64");
const OPTIONS = { queryMatcher: exactMatcher, processingTimeSeconds: 2, targetRater: fixedRater(1) };
const ALL = { max_num_results: "50" };
const ids = (found: Awaited<ReturnType<typeof results>>) => found.map(({ target_id }) => target_id);

describeBackends("the results of a query", (backend) => {
  it("arrive byte for byte, through every client", async () => {
    await using service = await backend.open(OPTIONS);
    service.clock.set(new Date(START.getTime() - 1_400));
    const keys = await service.addCloudDatabase();
    const fields = { name: "näme/\uffee", application_metadata: "XN", image: base64(image) };
    const id = await add(service, keys, fields);
    service.clock.advance(2);
    const plan = goodPlan(service.clock.now());
    for (const client of [fetchClient, nodeClient, gotClient, axiosClient]) {
      const response = await sendPlan(service, keys, { ...plan, accept: "*/*" }, client);
      expect(decoded(response).replace(/"[0-9a-f]{32}"\}$/, '"ID"}')).toBe(
        `{"result_code":"Success","results":[{"target_id":"${id}","target_data":{"target_timestamp":1795257718,` +
          `"name":"n\\u00e4me/\\uffee","application_metadata":"XA=="}}],"query_id":"ID"}`,
      );
      expect(response.status).toBe(200);
    }
    const { rawHeaders, body } = await sendPlan(service, keys, plan, nodeClient);
    expect(rawHeaders?.toSorted()).toEqual([
      ["Connection", "keep-alive"],
      ["Content-Encoding", "gzip"],
      ["Content-Length", String(body.length)],
      ["Content-Type", "application/json"],
      ["Date", "Sat, 21 Nov 2026 10:42:00 GMT"],
      ["Server", "nginx"],
      ["x-cloud-region", "us-east-2, us-west-2"],
    ]);
  });

  it("are not encoded when the encoding is identity, and have no region under the vuforia profile", async () => {
    await using service = await backend.open({ queryContentEncoding: "identity", profile: "vuforia" });
    const keys = await service.addCloudDatabase();
    const { rawHeaders = [], body } = await sendPlan(service, keys, goodPlan(service.clock.now()));
    expect(body.toString()).toMatch(/^\{"result_code":"Success","results":\[\],"query_id":"[0-9a-f]{32}"\}$/);
    expect(rawHeaders.map(([name]) => name).toSorted()).toEqual([
      "Connection",
      "Content-Length",
      "Content-Type",
      "Date",
      "Server",
    ]);
    expect(rawHeaders).toContainEqual(["Content-Length", String(body.length)]);
    const refused = { ...goodPlan(service.clock.now()), accept: "" };
    expect(await sendPlan(service, keys, refused)).toMatchObject({ status: 406, body: Buffer.alloc(0) });
  });

  it("are gzip under the vuforia profile only if the request accepts it, and failures never are", async () => {
    await using service = await backend.open({ profile: "vuforia" });
    const keys = await service.addCloudDatabase();
    for (const [accepted, encoding] of [
      [undefined, undefined],
      ["identity", undefined],
      ["gzip;q=0, *", undefined],
      ["br, gzip", "gzip"],
      ["*", "gzip"],
    ] as const) {
      const client: typeof nodeClient = ({ headers, ...request }) =>
        nodeClient({ ...request, headers: { ...headers, ...(accepted && { "Accept-Encoding": accepted }) } });
      const plan = goodPlan(service.clock.now());
      const { headers } = await sendPlan(service, keys, plan, client);
      expect([accepted, headers["content-encoding"]]).toEqual([accepted, encoding]);
      const refused = await sendPlan(service, keys, { ...plan, accept: "" }, client);
      expect(refused.rawHeaders?.map(([name]) => name).toSorted()).toEqual([
        "Connection",
        "Content-Length",
        "Date",
        "Server",
      ]);
    }
  });

  it.each([
    [null, null],
    ["", ""],
    ["XN", "XA=="],
    ["YWJj", "YWJj"],
    ["YQ==YQ==", "YQ=="],
    ["YWJjZ", "YWJj"],
  ])("have the metadata %j as %j", async (application_metadata, sent) => {
    await using service = await backend.open(OPTIONS);
    const keys = await service.addCloudDatabase();
    await add(service, keys, { image: base64(image), application_metadata });
    service.clock.advance(2);
    expect(await results(service, keys, image)).toMatchObject([
      { target_data: { application_metadata: sent } },
    ]);
  });

  it("have target data as requested, are in the order of upload, and are cut to max_num_results", async () => {
    await using service = await backend.open(OPTIONS);
    const keys = await service.addCloudDatabase();
    const added: string[] = [];
    for (const name of ["c", "a", "b"]) {
      added.push(await add(service, keys, { name, image: base64(image) }));
      service.clock.advance(0.001);
    }
    service.clock.advance(2);
    const withData = async (include_target_data: string) =>
      (await results(service, keys, image, { ...ALL, include_target_data })).map(
        (result) => "target_data" in result,
      );
    expect(await withData("top")).toEqual([true, false, false]);
    expect(await withData("all")).toEqual([true, true, true]);
    expect(await withData("none")).toEqual([false, false, false]);
    expect(ids(await results(service, keys, image))).toEqual(added.slice(0, 1));
    for (const count of [1, 2, 3, 50]) {
      const found = await results(service, keys, image, { max_num_results: String(count) });
      expect(ids(found)).toEqual(added.slice(0, count));
    }
  });

  it("use the first of repeated parts; a file is not read as an option, nor a text as the image", async () => {
    await using service = await backend.open(OPTIONS);
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys, { image: base64(image) });
    service.clock.advance(2);
    const plan = goodPlan(service.clock.now());
    plan.parts = [
      { name: "max_num_results", filename: "", content: "no number" },
      { name: "include_target_data", filename: "x", content: "nothing" },
      { name: "image", content: "no file" },
      { name: "max_num_results", content: "2" },
      { name: "max_num_results", content: "1000" },
      { ...imagePart(image), filename: "" },
      imagePart(Buffer.from("no image")),
    ];
    const response = await sendPlan(service, keys, plan);
    expect(JSON.parse(decoded(response)).results).toMatchObject([{ target_id: id }]);
  });

  it("name active, processed, successful, rated targets of the signer's database that are not deleted", async () => {
    await using service = await backend.open(OPTIONS);
    const keys = await service.addCloudDatabase();
    const other = await service.addCloudDatabase();
    const fields = { image: base64(image) };
    const deleted = await add(service, keys, { ...fields, name: "deleted" });
    const found = await add(service, keys, { ...fields, name: "found" });
    await add(service, keys, { ...fields, name: "inactive", active_flag: false });
    await add(service, keys, { image: base64(flatImage), name: "failed" });
    await add(service, other, fields);
    service.clock.advance(2);
    const path = `/targets/${deleted}`;
    expect(await sendTargetRequest(service, keys, { method: "DELETE", path })).toMatchObject({ status: 200 });
    expect(ids(await results(service, keys, image, ALL))).toEqual([found]);
    expect(ids(await results(service, keys, flatImage, ALL))).toEqual([]);

    const late = await add(service, keys, { ...fields, name: "late" });
    service.clock.advance(1.999);
    expect(ids(await results(service, keys, image, ALL))).toEqual([found]);
    service.clock.advance(0.001);
    expect(ids(await results(service, keys, image, ALL))).toEqual([found, late]);
  });

  it("never name a target with the rating 0", async () => {
    await using service = await backend.open({ ...OPTIONS, targetRater: fixedRater(0) });
    const keys = await service.addCloudDatabase();
    await add(service, keys, { image: base64(image) });
    service.clock.advance(2);
    expect(await results(service, keys, image)).toEqual([]);
  });

  it("follow an update once it is processed", async () => {
    await using service = await backend.open(OPTIONS);
    service.clock.set(START);
    const keys = await service.addCloudDatabase();
    const id = await add(service, keys, { image: base64(makePng({ width: 9 })) });
    service.clock.advance(60);
    const body = { image: base64(image), name: "new", application_metadata: "bmV3" };
    await sendTargetRequest(service, keys, { method: "PUT", path: `/targets/${id}`, body });
    expect(await results(service, keys, image)).toEqual([]);
    service.clock.advance(2);
    const target_data = { target_timestamp: 1795257780, name: "new", application_metadata: "bmV3" };
    expect(await results(service, keys, image)).toEqual([{ target_id: id, target_data }]);
    expect(await results(service, keys, makePng({ width: 9 }))).toEqual([]);
  });

  it.each([
    "application/json;q=x",
    "application/json;q=0.5, application/json;q=0",
    "application/json;q=0, application/json;q=0.5",
  ])("are for clients that accept %s", async (accept) => {
    await using service = await backend.open(OPTIONS);
    const keys = await service.addCloudDatabase();
    const plan = { ...goodPlan(service.clock.now()), accept };
    expect((await sendPlan(service, keys, plan)).status).toBe(200);
  });

  it("are refused with exactly the bytes that were sent as a number", async () => {
    await using service = await backend.open({ queryContentEncoding: "identity" });
    const keys = await service.addCloudDatabase();
    const plan = goodPlan(service.clock.now());
    const content = Buffer.from([0x35, 0xff, 0x00, 0xe9]);
    plan.parts = [imagePart(image), { name: "max_num_results", content }];
    const { body, status } = await sendPlan(service, keys, plan);
    const start = Buffer.concat([Buffer.from("Invalid value '"), content, Buffer.from("' in form")]);
    expect(status).toBe(400);
    expect(body.subarray(0, start.length)).toEqual(start);
  });

  it("are empty, without an error, for images of any kind that open", async () => {
    await using service = await backend.open({});
    const keys = await service.addCloudDatabase();
    await add(service, keys);
    service.clock.advance(2);
    const odd = [
      image.subarray(0, image.length - 40),
      Buffer.concat([image, Buffer.from("stray")]),
      makePng({ colourType: 4 }),
      makePng({ colourType: 6 }),
      makePng({ colourType: 0, depth: 16 }),
      makePng({ width: 30_000, height: 1, colourType: 0, depth: 1 }),
    ];
    for (const kind of odd) await expect(results(service, keys, kind)).resolves.toBeInstanceOf(Array);
  });

  it.each([-65, 65])("need a Date that is less than 65 minutes away (%d)", async (minutes) => {
    await using service = await backend.open({});
    const keys = await service.addCloudDatabase();
    const sentAt = async (seconds: number) => {
      const date = new Date(service.clock.now().getTime() + seconds * 1000).toUTCString();
      return (await sendPlan(service, keys, { ...goodPlan(service.clock.now()), date })).status;
    };
    expect(await sentAt(minutes * 60)).toBe(403);
    expect(await sentAt(minutes * 60 - Math.sign(minutes))).toBe(200);
  });
});
