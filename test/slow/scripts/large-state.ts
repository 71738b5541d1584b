import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { makePng } from "../../support/png.ts";

/**
 * Run as a process of its own, whose work does not count as the server's: puts a snapshot with as many targets as it is told,
 * each with an image of so many bytes, reads it again, and lists the database. Prints what it got.
 */
const [url = "", count = "1", imageBytes = "1000"] = process.argv.slice(2);

const post = (path: string, fields: object) =>
  fetch(url + path, { method: "POST", body: JSON.stringify(fields) });
await post("/cloud_databases", { database_name: "large" });
const image = makePng().toString("base64");
await post("/cloud_databases/large/targets", { name: "first", width: 1, image_base64: image });
const { images: _images, ...state } = Object(await (await fetch(`${url}/snapshot`)).json());

const noise = randomBytes(Number(imageBytes));
const images = Array.from({ length: Number(count) }, (_, number) => {
  const bytes = Buffer.from(noise);
  bytes.writeUInt32BE(number);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
});
const [database] = state.databases;
const [first] = database.targets;
const targets = images.map(({ sha256 }, number) => ({
  ...first,
  name: `target ${number}`,
  targetId: `${number}`,
  image: sha256,
}));
const head = JSON.stringify({ ...state, databases: [{ ...database, targets }] }).slice(0, -1);

/** Sends what it is given piece by piece, at the speed of the server. */
async function put(path: string, pieces: Iterable<string>): Promise<number> {
  const outgoing = request(url + path, { method: "PUT" });
  const answered = once(outgoing, "response");
  for (const piece of pieces) if (!outgoing.write(piece)) await once(outgoing, "drain");
  outgoing.end();
  const [incoming] = await answered;
  return incoming.resume().statusCode;
}

function* pieces(): Generator<string> {
  yield `${head},"images":{`;
  for (const [number, { bytes, sha256 }] of images.entries())
    yield `${number === 0 ? "" : ","}"${sha256}":"${bytes.toString("base64")}"`;
  yield "}}";
}

async function sizeOf(path: string): Promise<number> {
  let size = 0;
  const { body } = await fetch(url + path);
  for await (const chunk of body ?? []) size += chunk.length;
  return size;
}

console.log(
  JSON.stringify({
    put: await put("/snapshot", pieces()),
    snapshot: await sizeOf("/snapshot"),
    listing: await sizeOf("/cloud_databases"),
  }),
);
