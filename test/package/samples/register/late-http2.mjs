// Loads HTTP/2 after register, opens a session, and prints what its requests receive before, during and after a mock that blocks its host.
import { once } from "node:events";

const http2 = await import("node:http2");
const server = http2.createServer((_request, response) => response.end("real")).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://localhost:${server.address().port}`;

async function ask(session) {
  const stream = session.request({ ":path": "/" });
  const [headers] = await once(stream, "response");
  stream.resume();
  await once(stream, "end");
  return headers[":status"];
}
const session = http2.connect(url);
const results = [await ask(session)];
const { MockCloudReco } = await import("mock-cloud-reco");
const mock = new MockCloudReco({ unhandledRequests: "error" });
results.push(await ask(session).catch(({ message }) => message));
mock.stop();
const next = http2.connect(url);
results.push(await ask(next));
console.log(JSON.stringify(results));
next.close();
server.close();
