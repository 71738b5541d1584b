#!/usr/bin/env bash
# Node 20.20.2 and 24.21.0, from npm's packages `node`.
# Expected: to ask `net.isIP` or `net.isIPv6` whether a host's name is an address costs next to nothing, as `net.isIPv4` does.
# Seen: both match one large regular expression, which the engine prepares at the first question and compiles at the second. Each
# process pays about ten milliseconds for these two, more than for ten thousand later ones: a server with its first `Host` header, an
# interceptor with its first host. A name without a colon need not be asked about.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='Node 20.20.2: two first questions cost more than 10,000 later ones: true; more than five times as many of isIPv4: true
Node 24.21.0: two first questions cost more than 10,000 later ones: true; more than five times as many of isIPv4: true'
try node20@npm:node@20.20.2 node24@npm:node@24.21.0 <<'EOF'
import { execFileSync } from "node:child_process";

const program = (name) => `
  const { ${name} } = require("node:net");
  const milliseconds = (times) => {
    const start = process.hrtime.bigint();
    for (let time = 0; time < times; time++) ${name}("service.example");
    return Number(process.hrtime.bigint() - start) / 1e6;
  };
  console.log(JSON.stringify([milliseconds(2), milliseconds(1000), milliseconds(10000)]));
`;
for (const folder of ["node20", "node24"]) {
  const run = (code) => String(execFileSync(`node_modules/${folder}/bin/node`, ["--eval", code]));
  const version = run("console.log(process.versions.node)").trim();
  const [[first, , later], [firstOfIPv4]] = ["isIPv6", "isIPv4"].map((name) => JSON.parse(run(program(name))));
  console.log(
    `Node ${version}: two first questions cost more than 10,000 later ones: ${first > later};`,
    `more than five times as many of isIPv4: ${first > 5 * firstOfIPv4}`,
  );
}
EOF
