// Answers this page's requests to the service from servers, by a worker of MSW.
import { handlers } from "mock-cloud-reco/msw";
import { bypass } from "msw";
import { setupWorker } from "msw/browser";

const urls = { target: "https://vws.vuforia.com", query: "https://cloudreco.vuforia.com" };
const servers = new URLSearchParams(location.search);

/** Forwards a request to a server. */
async function forward(request) {
  const { origin, pathname, search } = new URL(request.url);
  const [api] = Object.entries(urls).find(([, url]) => url === origin);
  const body = request.method === "GET" ? undefined : await request.arrayBuffer();
  const { method, headers } = request;
  return fetch(bypass(new Request(servers.get(api) + pathname + search, { method, headers, body })));
}

const worker = setupWorker(...handlers({ urls, fetch: forward }));

globalThis.start = () =>
  worker.start({ quiet: true, onUnhandledRequest: "bypass", onUnhandledFrame: "bypass" }).then(() => true);
globalThis.ask = async (url, init) => {
  try {
    const response = await fetch(url, init);
    return [response.status, await response.text()];
  } catch (error) {
    return error.message;
  }
};
