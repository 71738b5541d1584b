#!/usr/bin/env bash
# oauth4webapi 3.8.8, openid-client 6.9.0, simple-oauth2 5.1.0, @badgateway/oauth2-client 3.3.1, Node 20.20.
# Expected: one id and one secret give one header of HTTP Basic, form-encoded as RFC 6749, section 2.3.1, says, or two headers where old
# clients do not encode.
# Seen: three. All but letters and digits encoded; encoded as encodeURIComponent does, with + for a space; and plain. One library sends the
# first or the last, depending on whether the method of authentication is named or left out. A server has to accept each of them.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='oauth4webapi: client%2D1%2Ea%5Fb:s%7Ee%21c%2Ar%28e%29t%27%2Dx+y
openid-client: client%2D1%2Ea%5Fb:s%7Ee%21c%2Ar%28e%29t%27%2Dx+y
simple-oauth2: client-1.a_b:s~e%21c%2Ar%28e%29t%27-x+y
oauth2-client, client_secret_basic: client%2D1%2Ea%5Fb:s%7Ee%21c%2Ar%28e%29t%27%2Dx+y
oauth2-client: client-1.a_b:s~e!c*r(e)t'"'"'-x y'
try oauth4webapi@3.8.8 openid-client@6.9.0 simple-oauth2@5.1.0 @badgateway/oauth2-client@3.3.1 <<'EOF'
import { once } from "node:events";
import http from "node:http";
import { OAuth2Client } from "@badgateway/oauth2-client";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import simple from "simple-oauth2";

let last = "";
const server = http.createServer((request, response) => {
  last = Buffer.from(String(request.headers.authorization).replace(/^Basic /, ""), "base64").toString();
  request.resume();
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ access_token: "t", token_type: "Bearer", expires_in: 60 }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}`;
const issuer = { issuer: url, token_endpoint: `${url}/t` };
const id = "client-1.a_b";
const secret = "s~e!c*r(e)t'-x y";

await oauth.clientCredentialsGrantRequest(issuer, { client_id: id }, oauth.ClientSecretBasic(secret), new URLSearchParams(), {
  [oauth.allowInsecureRequests]: true,
});
console.log("oauth4webapi:", last);
const configuration = new openid.Configuration(issuer, id, secret, openid.ClientSecretBasic(secret));
openid.allowInsecureRequests(configuration);
await openid.clientCredentialsGrant(configuration);
console.log("openid-client:", last);
await new simple.ClientCredentials({ client: { id, secret }, auth: { tokenHost: url } }).getToken({});
console.log("simple-oauth2:", last);
const settings = { server: url, clientId: id, clientSecret: secret, tokenEndpoint: "/t" };
await new OAuth2Client({ ...settings, authenticationMethod: "client_secret_basic" }).clientCredentials();
console.log("oauth2-client, client_secret_basic:", last);
await new OAuth2Client(settings).clientCredentials();
console.log("oauth2-client:", last);
server.close();
EOF
