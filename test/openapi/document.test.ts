import { readdirSync, readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { ProfileName } from "mock-cloud-reco";
import {
  type JsonSchema,
  type OperationObject,
  openApiDocument,
  type ResponseObject,
} from "mock-cloud-reco/openapi";
import { describe, expect, it } from "vitest";
import { operationsOf } from "./conformance.ts";

/** The routes in the pages of the APIs, which another test compares with what is served. */
const apis = new URL("../../src/core/apis/", import.meta.url);
const routes = readdirSync(apis, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("README.md"))
  .flatMap((file) => [...readFileSync(new URL(file, apis), "utf8").matchAll(/^\| `([A-Z]+ \/\S*)`/gm)])
  .map(([, route = ""]) => route);

const profiles: readonly ProfileName[] = ["neutral", "vuforia"];

/** All objects of a document that have one of its keywords, with their paths. */
const withKeyword = (value: unknown, keyword: string, path = "#"): [path: string, JsonSchema][] =>
  typeof value !== "object" || value === null
    ? []
    : ([
        ...(Object.hasOwn(value, keyword) ? [[path, value] satisfies [string, object]] : []),
        ...Object.entries(value).flatMap(([key, one]) => withKeyword(one, keyword, `${path}/${key}`)),
      ] as [string, JsonSchema][]);

describe.each(profiles)("the OpenAPI document (%s)", (profile) => {
  const document = openApiDocument({ profile });

  it("is one of OpenAPI 3.1", async () => {
    const plain = JSON.parse(JSON.stringify(document));
    const validator = new Validator();
    expect(await validator.validate(plain)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("has every operation of the emulator exactly once", () => {
    const served = routes.map((route) => route.replace(/:[^{}]+\}/g, "}"));
    const described = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(served.toSorted());
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has the schemas that code generators need: of items, and the type of each constant", () => {
    const arrays = withKeyword(document, "type").filter(([, { type }]) => [type].flat().includes("array"));
    expect(arrays.length).toBeGreaterThan(0);
    expect(arrays.filter(([, { items }]) => typeof items !== "object")).toEqual([]);
    for (const keyword of ["const", "enum"]) {
      const constants = withKeyword(document, keyword);
      expect(constants.length).toBeGreaterThan(0);
      expect(constants.filter(([, { type }]) => type === undefined)).toEqual([]);
    }
    expect(withKeyword(document, "const").filter(([, one]) => one.const === "")).toEqual([]);
    const form = document.paths["/v1/query"]?.post as OperationObject;
    expect(form.requestBody?.content["multipart/form-data"]?.schema).toMatchObject({
      properties: { image: { type: "string", format: "binary" } },
    });
  });

  it("declares Connection, which proxies drop, and requires it nowhere", () => {
    const connections = withKeyword(document, "headers").flatMap(([, { headers }]) =>
      Object.entries(headers as ResponseObject["headers"]).filter(([name]) => name === "Connection"),
    );
    expect(connections.length).toBeGreaterThan(0);
    expect(connections.filter(([, { required }]) => required)).toEqual([]);
  });

  it("names each parameter of a path, and what requests sign", () => {
    for (const { path, operation } of operationsOf(document)) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
    const paths = document.paths["/reports/{database_id}/{file}"];
    expect(JSON.stringify(paths)).toContain(String.raw`"pattern":"^[^/]+\\.csv$"`);
  });
});

describe("the OpenAPI document", () => {
  it("differs between the profiles", () => {
    const [neutral, vuforia] = profiles.map((profile) => JSON.stringify(openApiDocument({ profile })));
    expect(neutral).toContain("x-cloud-region");
    expect(vuforia).toContain("x-aws-region");
    expect(vuforia).not.toContain("x-cloud-region");
    expect(JSON.stringify(openApiDocument())).toBe(neutral);
  });

  it.each([
    [{ profile: "real" }, 'Invalid options.profile: expected "neutral" or "vuforia"; got "real".'],
    [
      { urls: { querry: "http://127.0.0.1" } },
      "Invalid options.urls.querry: expected query; got an unknown name.",
    ],
    [{ urls: { query: 5001 } }, "Invalid options.urls.query: expected non-empty text; got 5001."],
    [null, "Invalid options: expected an object; got null."],
  ])("is refused for the options %j", (options, message) => {
    expect(() => openApiDocument(options as object)).toThrow(message);
  });

  it("names the servers", () => {
    const { paths, servers } = openApiDocument({ urls: { query: "http://127.0.0.1:5001" } });
    expect(paths["/v1/query"]?.servers).toEqual([{ url: "http://127.0.0.1:5001" }]);
    expect(paths["/targets"]?.servers).toEqual([{ url: "https://vws.vuforia.com" }]);
    // The first one is the base URL of most generated clients.
    expect(servers.map(({ url }) => url)).toEqual([
      "https://vws.vuforia.com",
      "http://127.0.0.1:5001",
      "http://target-manager.test",
    ]);
  });
});
