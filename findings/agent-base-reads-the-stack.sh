#!/usr/bin/env bash
# agent-base 7.1.4, Node 20.20.
# Expected: an agent knows from the request's options whether a request is for https: Node passes `secureEndpoint`, a port, or the protocol
# of the default agent.
# Seen: agent-base looks for "node:https:" in the stack of `new Error()`. A request made by the class that `https.request` uses, with
# the same options, is taken for http, and fails; called from a function of that name, it is taken for https. So whatever wraps or replaces
# `https.request` changes the protocol of clients with such agents (https-proxy-agent, socks-proxy-agent).
source "$(dirname "$0")/in-temporary-folder.sh"
seen='https.request: true
new ClientRequest: ERR_INVALID_PROTOCOL
new ClientRequest in a function named node:https:own: true'
try agent-base@7.1.4 <<'EOF'
import http from "node:http";
import https from "node:https";
import { Agent } from "agent-base";

let secure;
class Asked extends Agent {
  async connect(_request, options) {
    secure = options.secureEndpoint;
    throw new Error("connects nowhere");
  }
}
const options = { host: "service.example", path: "/", agent: new Asked(), _defaultAgent: https.globalAgent };
const own = { "node:https:own": () => new http.ClientRequest(options) };
const asked = (name, make) =>
  new Promise((resolve) => {
    make().on("error", () => resolve(secure));
  }).then(
    (given) => console.log(`${name}: ${given}`),
    ({ code }) => console.log(`${name}: ${code}`),
  );
await asked("https.request", () => https.request(options));
await asked("new ClientRequest", () => new http.ClientRequest(options));
await asked("new ClientRequest in a function named node:https:own", own["node:https:own"]);
EOF
