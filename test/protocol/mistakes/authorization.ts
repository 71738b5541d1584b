import { changed, listing, type Mistake, moved, request, type Sent, type Situation } from "./mistakes.ts";

const authorized = (sent: Sent, Authorization: string | undefined): Sent => ({
  ...sent,
  headers: { ...sent.headers, Authorization },
});
const dated = (situation: Situation, date: string): Sent => {
  const sent = changed(listing(situation), { date });
  return { ...sent, headers: { Date: date } };
};
const token = (s: Situation, authorization?: string): Sent => ({
  ...authorized(request(s, "POST", "/oauth2/token"), authorization),
  api: "modelTarget",
});
const datasets = (s: Situation, authorization: string): Sent => ({
  ...authorized(request(s, "POST", "/modeltargets/datasets"), authorization),
  api: "modelTarget",
});

/** Wrong Authorization and Date headers, and tokens. */
export const AUTHORIZATION: readonly Mistake[] = [
  [
    "no Authorization",
    (s) => authorized(listing(s), undefined),
    "send an Authorization header",
    "expected VWS <server access key>:<signature>",
  ],
  [
    "Bearer where VWS belongs",
    (s) => authorized(listing(s), "Bearer abc.def.ghi"),
    "Bearer tokens belong to the Model Target API",
    "sign the request with the database's keys",
  ],
  [
    "VWS where Bearer belongs",
    (s) => ({ ...request(s, "GET", "/modeltargets/datasets/0000/status"), api: "modelTarget" }),
    "a signature (VWS) belongs to the target and query APIs",
    "the access_token of POST /oauth2/token",
  ],
  ["a scheme in lower case", (s) => ({ ...listing(s), scheme: "vws" }), 'it is "vws"', 'exactly "VWS"'],
  [
    "a Date in ISO 8601",
    (s) => dated(s, s.service.clock.now().toISOString()),
    "ISO 8601",
    "new Date().toUTCString()",
  ],
  [
    "local time labelled GMT",
    (s) => dated(s, moved(s, 2)),
    "2 h ahead, which looks like local time labelled GMT",
    "new Date().toUTCString()",
  ],
  [
    "a clock that is off",
    (s) => dated(s, moved(s, 0.2)),
    "expected less than 5 minutes between them",
    "correct the client's clock",
  ],
  [
    "no Date",
    (s) => {
      const sent = changed(listing(s), { date: "" });
      return { ...sent, headers: {} };
    },
    "no Date header",
    "expected a form like",
  ],
  [
    "undefined as the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}:undefined`),
    'it is the text "undefined"',
    "check the variable that holds the signature",
  ],
  [
    "a space before the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}: c2lnbmF0dXJl`),
    "send no space",
    "after the colon",
  ],
  [
    "a Promise as the signature",
    (s) => authorized(listing(s), `VWS ${s.keys.serverAccessKey}:[object Promise]`),
    'it is the text "[object Promise]"',
    "await the signature first",
  ],
  [
    "the client id and secret are swapped",
    (s) => token(s, `Basic ${Buffer.from("client-secret:client-id").toString("base64")}`),
    "swap the client id and the client secret",
    "the base64 of <client id>:<client secret>",
  ],
  [
    "the client id as its own secret",
    (s) => token(s, `Basic ${Buffer.from("client-id:client-id").toString("base64")}`),
    "correct the client secret",
    'wrong for the client "client-id"',
  ],
  [
    "JSON to the token route",
    (s) => ({ ...token(s), body: Buffer.from('{"grant_type":"client_credentials"}') }),
    "the body is JSON",
    "this route reads a form (application/x-www-form-urlencoded)",
  ],
  [
    "a token that was never set",
    (s) => datasets(s, "Bearer undefined"),
    'the bearer token is "undefined"',
    "send the access_token of POST /oauth2/token",
  ],
  [
    "a key as a token",
    (s) => datasets(s, `Bearer ${s.keys.serverSecretKey}`),
    "characters)",
    "send the access_token of POST /oauth2/token",
  ],
];
