import { type Sent, searching } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

/** A right query with other headers than a client that asks for gzip. */
const asking = (what: string, headers: Sent["headers"]): Input => [
  what,
  (s) => {
    const sent = searching(s);
    return { ...sent, headers: { ...sent.headers, "Accept-Encoding": undefined, ...headers } };
  },
  "gzip.unasked",
];
const accepting = (what: string, accepted: string): Input => asking(what, { "Accept-Encoding": accepted });

/** Clients that get gzip without asking for it: the journal remarks on the first one. */
export const ENCODINGS: readonly Input[] = [
  asking("node:https, Java's HttpClient and .NET's", {}),
  asking("curl without --compressed, also as PHP's library", { "User-Agent": "curl/7.88.1", Accept: "*/*" }),
  asking("PHP's streams", { "User-Agent": "PHP", Connection: "close" }),
  asking("Guzzle", { "User-Agent": "GuzzleHttp/7" }),
  asking("Invoke-RestMethod of PowerShell 5.1", { "User-Agent": "Mozilla/5.0 WindowsPowerShell/5.1" }),
  asking("Perl's LWP, which asks for it by hop", { TE: "deflate,gzip;q=0.3" }),
  asking("gzip in another header", { Accept: "application/json, gzip" }),
  accepting("Python's http.client and wget", "identity"),
  accepting("a client that decodes deflate only", "deflate"),
  accepting("a client that decodes other encodings", "br, zstd, deflate"),
  accepting("a client that refuses it", "gzip;q=0, identity"),
  accepting("a client that refuses it with spaces", "identity , gzip ; q = 0.000"),
  accepting("a client that refuses all", "identity, *;q=0"),
];

/** Clients that ask for it. */
export const DECODED: readonly string[] = [
  "gzip",
  "GZIP",
  "gzip, deflate, br, zstd",
  "gzip;q=1.0,deflate;q=0.6,identity;q=0.3",
  "br;q=1.0, gzip;q=0.001",
  "*",
  "identity;q=0.5, *;q=0.1",
];
