import type { Profile } from "../emulator/profiles.ts";
import { assumed, type Expected, type Fact, observed, slug } from "./fact.ts";

const page = (request: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n    <head>\n        <title>Not Found</title>\n    </head>\n    <body>\n        <h1>Not Found</h1>\n        <p id="detail">For request '${request}'</p>\n    </body>\n</html>\n`;

/** A page, or an empty body, by the prefixes of the profile. */
const answer = (profile: Profile, path: string, isGzipped: boolean, shown: string): Expected =>
  profile.notFoundPagePrefixes.some((prefix) => path.startsWith(prefix))
    ? {
        status: 404,
        headers: [
          ["Content-Type", "text/html; charset=UTF-8"],
          ...(isGzipped ? [["Content-Encoding", "gzip"] as const] : []),
          [profile.upstreamTimeHeader, "<integer>"],
        ],
        body: page(shown),
      }
    : { status: 404, headers: [], body: "" };

const unserved = (path: string): Fact => ({
  id: slug(`target unserved ${path.replaceAll("/x", "")}`),
  api: "target",
  sentence: `PATCH ${path}, which nothing serves, is answered with 404, and with a page where the profile has one.`,
  // At the real service reports are on another host.
  known: path.startsWith("/reports/") ? assumed : observed,
  needs: "reading",
  request: () => ({ method: "PATCH", path, headers: { "Accept-Encoding": "gzip" } }),
  expected: ({ profile }) => answer(profile, path, true, `PATCH ${path}`),
});

const encoded = (accepted: string | undefined, isGzipped: boolean): Fact => ({
  id: slug(`target unserved encoding ${accepted?.replace("*", "any") ?? "none"}`),
  api: "target",
  sentence: `PUT /summary, which nothing serves, is answered with a page whose encoding follows ${accepted === undefined ? "no Accept-Encoding" : `Accept-Encoding ${accepted}`}, or is always gzip, by profile.`,
  known: observed,
  needs: "reading",
  request: () => ({
    method: "PUT",
    path: "/summary?x=1",
    headers: accepted === undefined ? {} : { "Accept-Encoding": accepted },
  }),
  expected: ({ profile }) =>
    answer(profile, "/summary", isGzipped || profile.notFoundPageEncoding === "always", "PUT /summary"),
});

const ESCAPED = "/targets/%3Cb%3E&%22'%2541";

export const UNSERVED_FACTS: readonly Fact[] = [
  ...[
    "/targets",
    "/summary",
    "/duplicates/x",
    "/targets/x/instances",
    "/imagetargets/databases/x/reports/recoCounts",
    "/oauth2/token",
    "/modeltargets/datasets",
    "/reports/x/2026-11.csv",
  ].map(unserved),
  encoded(undefined, false),
  encoded("identity", false),
  encoded("br", false),
  encoded("gzip;q=0, *", false),
  encoded("br, gzip;q=0.1", true),
  encoded("*", true),
  {
    ...unserved(ESCAPED),
    id: "target-unserved-percent-encoded",
    sentence: "The page for an unserved request shows its path percent-decoded once and escaped.",
    known: assumed,
    request: () => ({ method: "POST", path: ESCAPED, headers: { "Accept-Encoding": "gzip" } }),
    expected: ({ profile }) => answer(profile, ESCAPED, true, "POST /targets/&lt;b&gt;&amp;&quot;&#x27;%41"),
  },
];
