// Prints which of the clients, configured and created, get a token by libraries that form-encode id and secret, and of a wrong secret.
import { MockCloudReco } from "mock-cloud-reco";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";

const [intercept, profile] = process.argv.slice(2);
const mock = new MockCloudReco({ intercept, profile });
const url = mock.urls.modelTarget;
const server = { issuer: url, token_endpoint: `${url}/oauth2/token` };

const grants = {
  "openid-client": async (id, secret) => {
    const configuration = new openid.Configuration(server, id, undefined, openid.ClientSecretBasic(secret));
    return (await openid.clientCredentialsGrant(configuration)).access_token;
  },
  oauth4webapi: async (id, secret) => {
    const client = { client_id: id };
    const authentication = oauth.ClientSecretBasic(secret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, {});
    return (await oauth.processClientCredentialsResponse(server, client, response)).access_token;
  },
};

const printed = {};
for (const [name, grant] of Object.entries(grants)) {
  const token = await grant("client-id", "client-secret");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ scopes: ["modeltargets.all"] });
  const tokens = [];
  for (let count = 0; count < 20; count += 1) {
    const created = await (
      await fetch(`${url}/oauth2/clientcredentials`, { method: "POST", headers, body })
    ).json();
    tokens.push(await grant(created.client_id, created.client_secret));
  }
  mock.addCredential({ clientId: `ci_${name} %`, clientSecret: "a-b:c+d e", scopes: [] });
  tokens.push(await grant(`ci_${name} %`, "a-b:c+d e"));
  const refused = await grant("client-id", "wrong-secret").catch(({ error }) => error);
  printed[name] = [tokens.filter((each) => each.split(".").length === 3).length, refused];
}
console.log(JSON.stringify(printed));
mock.stop();
