#!/usr/bin/env bash
# @stoplight/prism-cli 5.16.0, Node 20.20.
# Expected: `prism proxy` compares requests with a document, and forwards each body as it was sent.
# Seen: it parses JSON and writes it without the blanks, and decodes every other body as UTF-8, so that of a picture in a form little is
# left. Requests that are signed with their body are refused behind it, unless they are compact JSON.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='application/json: 7 of 12 bytes, {"a":1}
application/octet-stream: 6 of 2 bytes, ef bf bd ef bf bd
multipart/form-data: 82 of 78 bytes'
try @stoplight/prism-cli@5.16.0 <<'EOF'
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import http from "node:http";

const upstream = http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ length: body.length, hex: body.toString("hex"), text: body.toString() }));
});
await once(upstream.listen(0, "127.0.0.1"), "listening");

const content = Object.fromEntries(
  ["application/json", "application/octet-stream", "multipart/form-data"].map((type) => [type, {}]),
);
const responses = { 200: { description: "what arrived", content: { "application/json": {} } } };
const paths = { "/": { post: { requestBody: { content }, responses } } };
await writeFile("document.json", JSON.stringify({ openapi: "3.1.0", info: { title: "-", version: "1" }, paths }));

const free = http.createServer();
await once(free.listen(0, "127.0.0.1"), "listening");
const { port } = free.address();
await new Promise((resolve) => free.close(resolve));
const args = ["proxy", "document.json", `http://127.0.0.1:${upstream.address().port}`, "-p", String(port)];
const prism = spawn("node_modules/.bin/prism", args);
await new Promise((resolve) => prism.stdout.on("data", (text) => String(text).includes("is listening") && resolve()));

const image = Buffer.from([0xff, 0xd8]);
const form = Buffer.concat([
  Buffer.from('--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'),
  image,
  Buffer.from("\r\n--b--\r\n"),
]);
const sent = [
  ["application/json", Buffer.from('{ "a" : 1 } '), ({ text }) => `, ${text}`],
  ["application/octet-stream", image, ({ hex }) => `, ${hex.match(/../g).join(" ")}`],
  ["multipart/form-data; boundary=b", form, () => ""],
];
for (const [type, body, shown] of sent) {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { "Content-Type": type }, body });
  const arrived = await response.json();
  console.log(`${type.split(";")[0]}: ${arrived.length} of ${body.length} bytes${shown(arrived)}`);
}
prism.kill();
upstream.close();
process.exit();
EOF
