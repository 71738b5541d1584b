import { formatJournal, MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { entryFields } from "../../src/core/schema/journal-entry.ts";
import { packJournal, unpackJournal } from "../../src/redis/journal-codec.ts";
import { openPage } from "./browsing.ts";
import { Listener } from "./events.ts";
import { describeInBrowser } from "./in-browser.ts";

// What a new line of the schema does, before anything derives from it. Each file of this project has modules of its own.
Object.assign(entryFields, { attempt: z.optional(z.number()) });

/** A mock with one request, whose entry has the new field. */
async function mockWithField(): Promise<MockCloudReco> {
  const mock = new MockCloudReco();
  await mock.fetch(`${mock.urls.target}/targets`);
  Object.assign(mock.requests[0] ?? {}, { attempt: 7 });
  return mock;
}

describe("a field that is added to the schema of journal entries", () => {
  it("travels between servers", async () => {
    await using mock = await mockWithField();
    const { entries } = await unpackJournal(
      packJournal({ sender: "", first: 1, dropped: 0, entries: mock.requests }),
    );
    expect(entries).toMatchObject([{ attempt: 7, path: "/targets", status: 401 }]);
  });

  it("is in the target manager's list, in the text and in the report", async () => {
    await using mock = await mockWithField();
    const listed = await mock.fetch(`${mock.urls.manager}/requests`);
    const { requests } = (await listed.json()) as { requests: Parameters<typeof formatJournal>[0] };
    expect(requests).toMatchObject([{ attempt: 7, path: "/targets" }]);
    expect(formatJournal(mock.requests)).toContain("\n   attempt: 7");
    expect(formatJournal(requests)).toContain("\n   attempt: 7");
    expect(mock.page.report().requests).toMatchObject([{ attempt: 7 }, { path: "/requests" }]);
  });

  it("is in the page's list and in its details of a request", async () => {
    await using mock = await mockWithField();
    await using page = await mock.page.serve();
    await using listener = new Listener(`${page.url}page/events`);
    await listener.until(() => listener.requests.length === 1);
    expect(listener.requests).toMatchObject([{ attempt: 7, path: "/targets" }]);
    const details = await fetch(`${page.url}page/requests/${listener.requests[0]?.number}`);
    expect(await details.json()).toMatchObject({ request: { attempt: 7, path: "/targets" } });
  });
});

describeInBrowser("in a browser", (browser) => {
  it("the page shows it", async () => {
    await using mock = await mockWithField();
    await using served = await mock.page.serve();
    const page = await openPage(browser(), served.url.replace(/\/$/, ""), "requests");
    await page.getByRole("button", { name: /targets/ }).click();
    await page.getByRole("term").filter({ hasText: "attempt" }).waitFor();
    await page.locator("dd", { hasText: /^7$/ }).waitFor();
    await page.close();
  });

  it("the page shows how many other targets a query considered, by reason", async () => {
    await using mock = await mockWithField();
    const otherTargets = [{ code: "target.inactive", why: "inactive", count: 3 }];
    Object.assign(mock.requests[0] ?? {}, { considered: [], otherTargets });
    await using served = await mock.page.serve();
    const page = await openPage(browser(), served.url.replace(/\/$/, ""), "requests");
    await page.getByRole("button", { name: /targets/ }).click();
    await page.getByText("and 3 more targets: inactive").waitFor();
    await page.close();
  });
});
