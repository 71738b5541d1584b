#!/usr/bin/env bash
# nock 14.0.17 (with its interceptors 0.41.9), Node 20.20.
# Expected: a class `Request` that a client took while nock was active is as usable after `nock.restore()` as any other; the class
# `Response`, taken at the same time, as well.
# Seen: `Request` throws a TypeError as soon as it gets headers, `Response` works. Clients that keep the class at load, as axios does for
# its adapter of fetch, meet this in the next test file of the same process.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='Response with headers: 1
Request without headers: GET
Request with headers: TypeError'
try nock@14.0.17 @mswjs/interceptors@0.41.9 <<'EOF'
import { createRequire } from "node:module";
const nock = createRequire(import.meta.url)("nock");
const { Request: TakenRequest, Response: TakenResponse } = globalThis;
nock.restore();
const headers = { "x-a": "1" };
const tried = (make) => {
  try {
    return make();
  } catch (error) {
    return error.constructor.name;
  }
};
console.log("Response with headers:", tried(() => new TakenResponse("", { headers }).headers.get("x-a")));
console.log("Request without headers:", tried(() => new TakenRequest("https://example.org").method));
console.log("Request with headers:", tried(() => new TakenRequest("https://example.org", { headers }).headers.get("x-a")));
EOF
