// Of every version of Vitest.

import { test } from "mock-cloud-reco/vitest";
import { expect } from "vitest";

test.override({ mockOptions: { seed: 1, failOnRefusedRequests: true } });
// @ts-expect-error -- unknown option
test.override({ mockOptions: { failOnRefused: true } });
test.extend<{ own: string }>({ own: ({ database }, use) => use(database.databaseName) })(
  "fixtures and matchers of Vitest",
  ({ mock, own }) => {
    expect(mock).toHaveReceived("addTarget", { times: 1 });
    expect(mock).not.toHaveReceived({ operation: "query", refused: true });
    expect(mock, "with a message").toHaveRefusedNothing();
    expect.soft(mock).toHaveReceived("query");
    expect(Promise.resolve(mock)).resolves.toHaveRefusedNothing();
    // @ts-expect-error -- unknown operation
    expect(mock).toHaveReceived("addTargets");
    // @ts-expect-error -- times must be a number
    expect(mock).toHaveReceived("addTarget", 1);
    return own.length;
  },
);
