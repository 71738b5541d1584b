import { expect, it } from "vitest";
import { rowOf } from "../../src/core/schema/causes/causes.ts";
import { CODES } from "../../src/core/schema/causes/rooms.ts";
import { expectAdviceFirst } from "./advice.ts";
import { image, Scene } from "./scene.ts";

/** A request line of the target or query API, headers that differ from those of a right request, and a body. */
const REQUEST =
  /^(?<method>[A-Z]+) (?<path>\/(?:targets?|v1\/query)\S*)(?<headers>(?:\n[\w-]+:.*)*)(?:\n\n(?<body>[\s\S]*))?$/;

const requests = CODES.flatMap((code) => {
  const { example } = rowOf(code);
  const { groups } = REQUEST.exec(example) ?? {};
  return groups === undefined || example.includes("{id}") || /[ :]<?signature/.test(example)
    ? []
    : [{ code, ...groups }];
});

it.each(requests as { code: string; method: string; path: string; headers: string; body?: string }[])(
  "the example of $code gets it",
  async ({ code, method, path, headers: lines, body }) => {
    await using scene = new Scene();
    const { serverAccessKey, serverSecretKey } = scene.database;
    const headers = Object.fromEntries(
      lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [name = "", value = ""] = line.split(/: ?(.*)/s);
          const filled = value
            .replace("<server access key>", serverAccessKey)
            .replace("<server secret key>", serverSecretKey);
          return [name, filled === "" ? null : filled];
        }),
    );
    const { Date: date, ...others } = headers;
    const { "Content-Type": type } = headers;
    const signed = type === undefined ? {} : { contentType: type?.split(";")[0] ?? "" };
    const changed = body?.startsWith("{ …, ") ? JSON.parse(`{${body.slice("{ …, ".length)}`) : undefined;
    if (path === "/v1/query") {
      const form = Object.fromEntries(new URLSearchParams(body ?? ""));
      await scene.query({ image, ...form }, { headers, ...signed });
    } else if (changed !== undefined) await scene.add(changed);
    else
      await scene.target(method, path, {
        ...signed,
        headers: date === null ? headers : others,
        ...(typeof date === "string" && { date }),
        ...(body !== undefined && { body }),
        ...(method === "POST" &&
          body === undefined && { body: { name: "a", width: 1, image: image.toString("base64") } }),
      });
    expect(scene.codes()).toContain(code);
    expectAdviceFirst(scene.mock.requests);
  },
);

it("most examples of these APIs are such requests", () => {
  expect(requests.length).toBeGreaterThan(50);
});
