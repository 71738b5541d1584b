#!/usr/bin/env bash
# undici 7.30.2, Node 20.20.
# Expected: what listens to undici's channels, such as a tracer, runs in the asynchronous context of the request that it is told of.
# Seen: in undici 7 a request that waits for a connection of a pool is sent in the context of the request before it, whose end frees the
# connection. A tracer that looks up its span there counts the second request to the first.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='undici 7: /a in the context of a, /b in the context of a, /c in the context of a'
try undici7@npm:undici@7.30.2 <<'EOF'
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import http from "node:http";
import { Pool } from "undici7";

const server = http.createServer((_request, response) => response.end());
await once(server.listen(0, "127.0.0.1"), "listening");
const context = new AsyncLocalStorage();
const told = [];
subscribe("undici:client:sendHeaders", ({ request }) => {
  told.push(`${request.path} in the context of ${context.getStore()}`);
});
const pool = new Pool(`http://127.0.0.1:${server.address().port}`, { connections: 1 });
const send = (name) =>
  context.run(name, async () => (await pool.request({ path: `/${name}`, method: "GET" })).body.dump());
await Promise.all(["a", "b", "c"].map(send));
console.log("undici 7:", told.join(", "));
await pool.close();
server.close();
EOF
