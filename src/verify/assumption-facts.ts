import { assumed, type Fact, type RequestParts } from "./fact.ts";
import { FOUND, underProfile } from "./query-facts.ts";
import { goodPlan, queryOf } from "./query-plan.ts";
import { acceptedImage, draftOf, signed } from "./requests.ts";
import { refused, success } from "./target-answer.ts";
import { CREATED, record, SUMMARY } from "./target-answers.ts";
import { base64 } from "./target-break.ts";
import { targetAnswer } from "./target-facts.ts";

const EXPECT = { headers: { Expect: "100-continue" } };
const continued = { more: { continued: true }, known: assumed };

const percentEncoded = (id: string): string => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;

/** Two lists at the end of a minute, and one more 15 seconds later. */
const LIMITED = { list_targets: { max_requests: 2, window_seconds: 60 } };
const listAt =
  (second: number, quiet = false): Fact["request"] =>
  (at): RequestParts => ({ ...signed(draftOf("list", at), at), moment: { second, quiet } });

const list = success({
  id: "list-over-the-minute",
  says: "counts its limit over the last 60 seconds, and not anew in each minute of the clock",
  on: "list",
  body: "",
});

/** What nobody compared with the real service, and would be worth a look. */
export const ASSUMPTION_FACTS: readonly Fact[] = [
  success({
    id: "expect-continue",
    says: "is served with `Expect: 100-continue`, and answered with 100 first",
    on: "summary",
    draft: EXPECT,
    body: SUMMARY,
    ...continued,
  }),
  success({
    id: "expect-continue-add",
    says: "is served with `Expect: 100-continue`, and answered with 100 before the body",
    on: "add",
    draft: EXPECT,
    status: 201,
    body: CREATED,
    ...continued,
  }),
  {
    id: "query-expect-continue",
    api: "query",
    sentence: "A query with `Expect: 100-continue` is answered with 100 before the body.",
    known: assumed,
    needs: "reading",
    request: ({ now, keys }) => {
      const query = queryOf(goodPlan(now), keys);
      return { ...query, headers: { ...query.headers, ...EXPECT.headers } };
    },
    expected: (at) => ({ ...underProfile(FOUND)(at), continued: true }),
  },
  {
    ...success({
      id: "percent-encoded-id",
      says: "finds a target whose id is percent-encoded, and signed as it is sent",
      on: "get",
      uses: "processed",
      body: record("success", "<integer>"),
      known: assumed,
    }),
    request: (at) => signed({ ...draftOf("get", at), path: `/targets/${percentEncoded(at.targetId)}` }, at),
  },
  success({
    id: "image-with-a-line-break",
    says: "refuses an image whose base64 has line breaks",
    on: "add",
    fields: { image: acceptedImage().replace(/.{76}/g, "$&\r\n") },
    status: 422,
    body: refused("Fail"),
    known: assumed,
    check: "imageIsBase64",
  }),
  success({
    id: "update-metadata-with-a-line-break",
    says: "refuses metadata whose base64 has a line break at its end",
    on: "update",
    uses: "own",
    fields: { application_metadata: `${base64("text")}\n` },
    status: 422,
    body: refused("Fail"),
    known: assumed,
    check: "metadataFits",
  }),
  {
    ...list,
    needs: "spending",
    known: assumed,
    database: { request_rate_limits: LIMITED },
    isUsual: true,
    before: [listAt(50, true), listAt(51)],
    request: listAt(5),
    expected: ({ profile }) => targetAnswer(429, profile),
    check: "withinRateLimits",
  },
  {
    ...success({
      id: "http-2",
      says: "is answered over HTTP/1.1, although the client offers HTTP/2 too",
      on: "summary",
      body: SUMMARY,
      known: assumed,
      more: { protocol: "http/1.1" },
    }),
    overTls: true,
    request: (at) => ({ ...signed(draftOf("summary", at), at), offersHttp2: true }),
  },
];
