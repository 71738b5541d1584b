import { test as base, expect } from "@playwright/test";
import { mockFixtures } from "mock-cloud-reco/playwright";

const test = base.extend(mockFixtures({ corsAllowOrigin: "*" }));
const databases = [];

for (const name of ["first", "second"]) {
  test(`a page reaches its test's mock and database: ${name}`, async ({ page, mock, database }) => {
    const ask = (url, init) =>
      page.evaluate(
        async ([asked, options]) => {
          const response = await fetch(asked, options);
          return [response.status, await response.text()];
        },
        [url, init],
      );
    const headers = { Authorization: `VWS ${database.serverAccessKey}:wrong` };
    const [status, text] = await ask(`${mock.urls.target}/summary`, { headers });
    expect([status, JSON.parse(text).result_code]).toEqual([401, "AuthenticationFailure"]);
    expect(await ask(`${mock.urls.query}/v1/query`, { method: "POST", body: "x" })).toEqual([
      401,
      expect.stringContaining("Authorization"),
    ]);
    await expect(ask(`${mock.urls.target}/nothing`)).rejects.toThrow("Failed to fetch");
    databases.push(database.databaseId);
    expect(new Set(databases).size).toBe(databases.length);
  });
}
