import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { describe, expect, test } from "vitest";
import { acceptCertificate } from "./kept-clients.ts";
import { blocked, kept, MODES, refusalOf, registerFor, started } from "./kept-other.ts";
import { ca, laterTurns, REAL, RealService, resolveExamples, viaNode } from "./kept-service.ts";
import { undiciVersions } from "./undici-versions.ts";

acceptCertificate();
resolveExamples();

const viaSession = async (session: http2.ClientHttp2Session, path: string) => {
  const stream = session.request({ ":path": path });
  const [headers] = await once(stream, "response");
  stream.resume();
  return headers[":status"];
};

describe.each(Object.entries(MODES))("%s:", (mode, options) => {
  registerFor(mode);

  const block = () => started({ ...options, unhandledRequests: "error-except-loopback" });

  describe("HTTP/2", () => {
    test("a session is refused, and ends its streams", async () => {
      const service = await RealService.start("h2");
      const origin = service.originAt("blocked.example");
      const session = kept(http2.connect(origin, { ca }));
      expect(await viaSession(session, "/before")).toBe(REAL);
      const slow = session.request({ ":path": "/slow" });
      await service.slowArrived();
      block();
      expect(await refusalOf(viaSession(session, "/after?x"))).toContain(blocked("GET", `${origin}/after?x`));
      service.answerSlow();
      const [headers] = await once(slow, "response");
      expect(headers[":status"]).toBe(REAL);
      slow.resume();
      await once(session, "close");
      expect(service.paths).toEqual(["/before", "/slow"]);
    });

    test("a session that is not connected yet is refused", async () => {
      const service = await RealService.start("h2");
      const origin = service.originAt("blocked.example");
      const session = kept(http2.connect(origin, { ca }));
      session.on("error", () => {});
      block();
      expect(await refusalOf(viaSession(session, "/after"))).toContain(blocked("GET", `${origin}/after`));
      await laterTurns();
      expect(service.paths).toEqual([]);
    });

    test("a session to a host that is allowed stays", async () => {
      const service = await RealService.start("h2");
      const session = kept(http2.connect(service.originAt("localhost"), { ca }));
      expect(await viaSession(session, "/before")).toBe(REAL);
      block();
      expect(await viaSession(session, "/after")).toBe(REAL);
      expect(service.connections).toHaveLength(1);
    });

    test.each(undiciVersions)("%s is refused", async (_version, { Agent, request }) => {
      const service = await RealService.start("h2");
      const dispatcher = kept(new Agent({ allowH2: true, connect: { ca } }));
      const send = async (url: string) => {
        const { body, statusCode } = await request(url, { dispatcher });
        await body.dump();
        return statusCode;
      };
      const origin = service.originAt("blocked.example");
      expect(await send(`${origin}/before`)).toBe(REAL);
      block();
      for (const path of ["/after", "/again"])
        expect(await refusalOf(send(origin + path))).toContain(blocked("GET", origin + path));
      expect(service.paths).toEqual(["/before"]);
    });
  });

  describe("a kept connection of node:http(s) is not used", () => {
    test("for a request that names another host than the one of the connection", async () => {
      const service = await RealService.start("http");
      const agent = kept(new http.Agent({ keepAlive: true }));
      const get = (host: string, named: string): Promise<unknown> =>
        new Promise((resolve, reject) => {
          const asked = { agent, headers: { host: named } };
          http
            .get(`${service.originAt(host)}/`, asked, (response) =>
              response.resume().on("end", () => resolve(response.statusCode)),
            )
            .on("error", reject);
        });
      for (const host of ["localhost", "blocked.example"]) expect(await get(host, host)).toBe(REAL);
      block();
      expect(await refusalOf(get("localhost", "blocked.example"))).toContain(
        "GET http://blocked.example/: no",
      );
      const { port } = service;
      expect(await refusalOf(get("blocked.example", "localhost"))).toContain(
        `GET http://blocked.example:${port}/: no`,
      );
      expect(service.paths).toHaveLength(2);
    });

    test("if it was opened for a request that its client gave up", async () => {
      const service = await RealService.start("http");
      const agent = kept(new http.Agent({ keepAlive: true }));
      const url = `${service.originAt("blocked.example")}/`;
      const given = http.get(url, { agent }).on("error", () => {});
      const closed = new Promise((resolve) => given.once("close", resolve));
      given.destroy();
      await closed;
      block();
      expect(await refusalOf(viaNode(http, agent)(url))).toContain(blocked("GET", url));
      await laterTurns();
      expect(service.paths).toEqual([]);
    });

    test("if the client hands it over itself", async () => {
      const service = await RealService.start("http");
      const url = `${service.originAt("blocked.example")}/path?x`;
      const socket = kept(net.connect(service.port, "blocked.example"));
      await once(socket, "connect");
      block();
      const send = () =>
        new Promise((resolve, reject) => {
          http.get(url, { createConnection: () => socket }, resolve).on("error", reject);
        });
      expect(await refusalOf(send())).toContain(blocked("GET", url));
      expect(service.paths).toEqual([]);
    });

    test("by requests that wait for it when the mock starts", async () => {
      const service = await RealService.start("http");
      const origin = service.originAt("blocked.example");
      const agent = kept(new http.Agent({ keepAlive: true, maxSockets: 1 }));
      const send = viaNode(http, agent);
      const slow = send(`${origin}/slow`);
      const waiting = refusalOf(send(`${origin}/waiting`));
      await service.slowArrived();
      block();
      service.answerSlow();
      expect(await slow).toBe(REAL);
      expect(await waiting).toContain(blocked("GET", `${origin}/waiting`));
      expect(service.paths).toEqual(["/slow"]);
    });

    test("if a second mock blocks what the first allowed, even by a function that throws", async () => {
      const service = await RealService.start("http");
      const url = `${service.originAt("blocked.example")}/`;
      started(options);
      const send = viaNode(http, kept(new http.Agent({ keepAlive: true })));
      expect(await send(url)).toBe(REAL);
      const unhandledRequests = () => {
        throw new Error("in the function");
      };
      started({ ...options, unhandledRequests });
      expect(await refusalOf(send(url))).toContain(
        `GET ${url}: the function of the option unhandledRequests threw: in the function`,
      );
      expect(service.paths).toHaveLength(1);
    });
  });

  test.each(undiciVersions)(
    "requests of %s with pipelining, behind one from before, are refused",
    async (version, { Client }) => {
      const service = await RealService.start("http");
      const origin = service.originAt("blocked.example");
      const dispatcher = kept(new Client(origin, { pipelining: 3 }));
      const send = async (path: string) => {
        const { body, statusCode } = await dispatcher.request({ path, method: "GET" });
        await body.dump();
        return statusCode;
      };
      const slow = send("/slow").catch(String);
      await service.slowArrived();
      block();
      const next = ["/1", "/2"].map((path) => refusalOf(send(path)));
      service.answerSlow();
      // undici 6 sends the next one at once, whose connection is closed then.
      expect(await slow).toEqual(version === "undici 6" ? expect.stringContaining("no mock serves") : REAL);
      for (const message of await Promise.all(next)) expect(message).toContain("no mock serves this host");
      expect(service.paths).toEqual(["/slow"]);
    },
  );
});
