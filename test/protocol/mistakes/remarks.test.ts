import { flatPicture, samplePicture } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { sendSigned } from "../../support/answers.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { adding, request, searching, send } from "./mistakes.ts";

async function add(service: ServiceUnderTest, keys: DatabaseKeys, name: string, picture: Buffer) {
  const body = { name, width: 1, image: picture.toString("base64") };
  const { status, fields } = await sendSigned(service, keys, { method: "POST", path: "/targets", body });
  expect(status).toBe(201);
  return String(fields.target_id);
}

// What the client sent is correct, or did not arrive at all.
describeBackends("the journal remarks on", (backend) => {
  const opened = async () => {
    const service = await backend.open({ processingTimeSeconds: 0 });
    const keys = await service.addCloudDatabase();
    return { service, keys, other: keys, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  };

  it("a gzip response to a client that did not ask for it", async () => {
    await using situation = await opened();
    const search = searching(situation);
    await send(situation, search);
    expect((await situation.service.latest()).reason).toBeUndefined();
    const { "Accept-Encoding": _, ...headers } = search.headers;
    await send(situation, { ...search, headers });
    const served = await situation.service.latest();
    expect(served.refusedBy).toBeUndefined();
    expect(served).toMatchObject({
      status: 200,
      reason: expect.stringMatching(
        /^decode the response, or .*: it is gzip-encoded although the request does not accept gzip$/,
      ),
    });
  });

  it("a target that failed, on its record and in a query", async () => {
    await using situation = await opened();
    const { service, keys } = situation;
    const targetId = await add(service, keys, "flat", await flatPicture());
    await sendSigned(service, keys, { method: "GET", path: `/targets/${targetId}` });
    const why = expect.stringMatching(/^failed: the image has only one colour/);
    expect(await service.latest()).toMatchObject({ status: 200, reason: why });
    await send(situation, searching(situation));
    expect((await service.latest()).considered).toMatchObject([{ name: "flat", matched: false, why }]);
  });

  it("all that there is to say, when the URL has a query string too", async () => {
    await using situation = await opened();
    const { service, keys } = situation;
    const get = (path: string) =>
      send(situation, { ...request(situation, "GET", path), path: `${path}?page=2` });
    const ids: string[] = [];
    for (const [name, picture] of Object.entries({ flat: await flatPicture(), one: await samplePicture(1) }))
      ids.push(await add(service, keys, name, picture));
    await get(`/targets/${ids[0]}`);
    expect((await service.latest()).reason).toMatch(
      /^send parameters in the body.*; .*the image has only one colour/,
    );
    const inactive = { active_flag: false };
    await sendSigned(service, keys, { method: "PUT", path: `/targets/${ids[0]}`, body: inactive });
    await get(`/duplicates/${ids[1]}`);
    expect((await service.latest()).cause).toMatchObject({
      code: "query-string.ignored",
      also: [{ code: "duplicates.passed-over" }],
    });
  });

  it("the scores of the nearest targets when none matches, and what to do about photographs", async () => {
    await using situation = await opened();
    const { service, keys } = situation;
    for (const n of [1, 2]) await add(service, keys, `${n}`, await samplePicture(n));
    const picture = await samplePicture(3);
    await send(situation, searching(situation, picture));
    const [first, second] = (await service.latest()).considered ?? [];
    expect(first?.why).toMatch(
      /^no match: score 0\.\d+, must be above 0\.6; .* queryMatcher: featureMatcher, .* mappingMatcher/,
    );
    expect(second?.why).toMatch(/^no match: score 0\.\d+, must be above 0\.6$/);
  });

  it("a request that arrived without any of its headers", async () => {
    await using situation = await opened();
    const { service } = situation;
    await nodeClient({ method: "GET", url: `${service.urls.target}/targets`, headers: {} });
    expect((await service.latest()).reason).toContain(
      "the request has no headers of its own; if the client set some, another interceptor",
    );
  });

  it("both sizes when no body was signed, together with a second mistake", async () => {
    await using situation = await opened();
    const sent = adding(situation);
    const digest = "d41d8cd98f00b204e9800998ecf8427e";
    const signed = { ...sent.signed, digest, path: `${situation.service.urls.target}/targets` };
    await send(situation, { ...sent, signed });
    const { reason } = await situation.service.latest();
    expect(reason).toContain(
      `a body of 0 bytes was signed, but a body of ${sent.body.length} bytes was sent`,
    );
    expect(reason).toContain("without the query string and without the base URL's own prefix");
  });

  it("nothing, when a request is right", async () => {
    await using situation = await opened();
    await send(situation, request(situation, "GET", "/targets"));
    const { status, reason } = await situation.service.latest();
    expect({ status, reason }).toEqual({ status: 200, reason: undefined });
  });
});
