import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { MockCloudRecoOptions } from "mock-cloud-reco";
import sharp from "sharp";
import { scene } from "../support/scenes.ts";
import { builtPackage } from "./built-package.ts";
import { type Bench, type Comparison, median } from "./measure.ts";

type Package = ReturnType<typeof builtPackage>;

const ROUNDS = 7;
const REQUESTS = 30;
const TO_WARM_UP = 5;
const OTHERS = 499;

/** Rows, and the most of another build's time that each may take. */
const ROWS = [
  { name: "query, new JPEG", width: 320, height: 240, request: "newQuery", atMost: 0.45 },
  { name: "query, known JPEG", width: 320, height: 240, request: "knownQuery", atMost: 0.4 },
  { name: "query, known JPEG", width: 1280, height: 960, request: "knownQuery", atMost: 0.4 },
  { name: "query, new JPEG", width: 1280, height: 960, request: "newQuery", atMost: 0.7 },
  { name: "add, new JPEG", width: 320, height: 240, request: "addition", atMost: 0.6 },
  { name: "add, new JPEG", width: 1280, height: 960, request: "addition", atMost: 0.7 },
] as const;

let copies = 0;
/** The same picture in another file. */
function copyOf(image: Buffer): Buffer {
  copies += 1;
  return Buffer.concat([image, Buffer.from(String(copies))]);
}

/** A mock with one target or more, whose requests take no way through sockets. */
async function started(
  { MockCloudReco, authorizationHeader, rfc1123Date }: Package,
  image: Buffer,
  others: readonly Buffer[] = [],
  options: MockCloudRecoOptions = {},
) {
  const mock = new MockCloudReco({ processingTimeSeconds: 0, ...options });
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { name: "target", image, processed: true });
  for (const [index, image] of others.entries())
    await mock.addTarget(database, { name: `other ${index}`, image, processed: true });
  const send = async (of: "client" | "server", url: URL, contentType: string, body: Buffer) => {
    const [accessKey, secretKey] =
      of === "client"
        ? [database.clientAccessKey, database.clientSecretKey]
        : [database.serverAccessKey, database.serverSecretKey];
    const date = rfc1123Date();
    const signed = { method: "POST", path: url.pathname, contentType, date, body };
    const authorization = authorizationHeader({
      ...signed,
      accessKey,
      secretKey,
      contentType: contentType.split(";", 1).join(""),
    });
    const headers = { date, authorization, "content-type": contentType };
    const response = await mock.fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const query = (picture: Buffer) => {
    const head = '--xx\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), picture, Buffer.from("\r\n--xx--\r\n")]);
    return send("client", new URL(`${mock.urls.query}/v1/query`), "multipart/form-data; boundary=xx", body);
  };
  return {
    mock,
    newQuery: () => query(copyOf(image)),
    knownQuery: () => query(image),
    addition: () => {
      const target = { name: `t${copies}`, width: 1, image: copyOf(image).toString("base64") };
      const body = Buffer.from(JSON.stringify(target));
      return send("server", new URL(`${mock.urls.target}/targets`), "application/json", body);
    },
  };
}

async function timesOf(action: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let request = 0; request < TO_WARM_UP + REQUESTS; request++) {
    const start = performance.now();
    await action();
    if (request >= TO_WARM_UP) times.push(performance.now() - start);
  }
  return times;
}

/**
 * What pictures cost by the default matcher with one target: against their decoding, and with BASELINE=<a built checkout> against
 * that build, in turns.
 */
export const bench: Bench = {
  async run() {
    const own = builtPackage();
    const { BASELINE } = process.env;
    const other: Package | undefined =
      BASELINE && createRequire(import.meta.url)(resolve(BASELINE, "dist/index.cjs"));
    const rows: Comparison[] = [];
    const compare = async (
      title: string,
      { request, atMost }: { readonly request: (typeof ROWS)[number]["request"]; readonly atMost: number },
      image: Buffer,
      start: (package_: Package) => ReturnType<typeof started>,
    ) => {
      const mine = await start(own);
      const baseline = other && (await start(other));
      const [times, baselineTimes]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        times.push(...(await timesOf(mine[request])));
        baselineTimes.push(...(await timesOf(baseline?.[request] ?? (() => sharp(image).raw().toBuffer()))));
      }
      rows.push({
        name: title,
        milliseconds: median(times),
        baseline: other ? `that of ${BASELINE}` : "sharp: decoding it",
        baselineMilliseconds: median(baselineTimes),
        ...(other && { atLeast: 1 / atMost }),
      });
      mine.mock.stop();
      baseline?.mock.stop();
    };
    for (const { name, width, height, ...row } of ROWS) {
      const image = await jpegOf(await scene(9, 320, 240), width, height);
      await compare(`${name} of ${width}x${height}`, row, image, (package_) => started(package_, image));
    }
    const others: Buffer[] = [];
    for (let seed = 1000; seed < 1000 + OTHERS; seed++)
      others.push(await jpegOf(await scene(seed, 160, 120), 320, 240));
    const photograph = await jpegOf(await scene(9, 320, 240), 1280, 960);
    await compare(
      `query of 1280x960 with featureMatcher among ${OTHERS + 1}`,
      { request: "newQuery", atMost: 1 },
      photograph,
      (package_) => {
        const { featureMatcher, perfectRater } = package_;
        return started(package_, photograph, others, {
          queryMatcher: featureMatcher,
          targetRater: perfectRater,
        });
      },
    );
    return rows;
  },
};

const jpegOf = (image: Buffer, width: number, height: number): Promise<Buffer> =>
  sharp(image).resize(width, height, { fit: "fill" }).jpeg({ quality: 85 }).toBuffer();
