#!/usr/bin/env bash
# sharp 0.35.5, Node 20.20.
# Expected: limits that an application sets once (`sharp.cache(false)`, `sharp.concurrency(3)`) stay, whoever else loads sharp.
# Seen: the package has an ES and a CommonJS build over one native library. Each sets its defaults when it is loaded, so that a
# `require("sharp")` in some dependency undoes what the application had set by `import`, without a word.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='set by import: cache of 0 files, 3 threads
after a require elsewhere: cache of 20 files, default threads'
try sharp@0.35.5 <<'EOF'
import { createRequire } from "node:module";
import sharp from "sharp";

const initial = sharp.concurrency();
const limits = () => {
  const threads = sharp.concurrency();
  return `cache of ${sharp.cache().files.max} files, ${threads === initial ? "default" : threads} threads`;
};
sharp.cache(false);
sharp.concurrency(3);
console.log("set by import:", limits());
createRequire(import.meta.url)("sharp");
console.log("after a require elsewhere:", limits());
EOF
