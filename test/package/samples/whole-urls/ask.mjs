// Prints what one client gets from the service by a proxy: "node ask.mjs CLIENT URL PROXY [INTERCEPT]".
import http from "node:http";

const [client, url, proxy, intercept] = process.argv.slice(2);
const { hostname: host, port } = new URL(proxy);
const loaded = async (name) => (await import(name)).default;

const CLIENTS = {
  axios: async () => {
    const axios = await loaded("axios");
    return (await axios.get(url)).status;
  },
  "http.get": () =>
    new Promise((resolve, reject) => {
      const headers = { host: new URL(url).host };
      http
        .get({ host, port, path: url, headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject);
    }),
  needle: async () => {
    const needle = await loaded("needle");
    return (await needle("get", url, null, { proxy })).statusCode;
  },
  request: async () => {
    const request = await loaded("request");
    return new Promise((resolve, reject) => {
      request(url, { tunnel: false }, (error, response) =>
        error ? reject(error) : resolve(response.statusCode),
      );
    });
  },
};

if (intercept !== undefined) {
  const { MockCloudReco } = await import("mock-cloud-reco");
  new MockCloudReco({ intercept });
}
const told = await CLIENTS[client]().catch(({ message }) => message);
console.log(JSON.stringify(told));
process.exit();
