import { describe, expect } from "vitest";
import type { Dataset } from "../../src/core/schema/model-target.ts";
import { changes, cloud, NOW, reads, type StoreFactory, testStore } from "./contract-cases.ts";

const dataset = (uuid: string, given: Partial<Dataset> = {}): Dataset => ({
  uuid,
  datasetTypeName: "STANDARD",
  requestBody: { name: "engine", models: [{ width: -0, depth: 1e300, label: "\0 null" }] },
  createdAt: NOW,
  processingTimeSeconds: 2,
  generationFailureMessage: null,
  generationWarning: null,
  processed: false,
  ...given,
});

const credential = (clientId: string) => ({ clientId, clientSecret: `secret of ${clientId}`, scopes: ["a"] });

/** What every store does with reports, datasets and credentials. */
export function describeOtherRecordsContract(kind: string, open: StoreFactory): void {
  describe(`${kind}: reports, datasets, credentials`, () => {
    const test = testStore(open);

    test("the first report of a file is kept", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseId: "shop" })));
      const report = {
        databaseId: "shop",
        file: "2026-11-21-10",
        rows: [{ targetId: "a", count: 3 }],
        requestedAt: NOW,
        processingTimeSeconds: 2,
        processed: false,
      };
      expect(await store.read(reads.report("shop", report.file))).toBeUndefined();
      expect(await store.run(changes.openReport(report))).toEqual(report);
      expect(await store.run(changes.openReport({ ...report, rows: [], requestedAt: NOW + 1 }))).toEqual(
        report,
      );
      expect(await store.read(reads.report("shop", report.file))).toEqual(report);
      expect(await store.read(reads.report("shop", "2026-10"))).toBeUndefined();
      expect(await store.read(reads.report("other", report.file))).toBeUndefined();
      await store.run(changes.finishProcessing);
      expect(await store.read(reads.report("shop", report.file))).toEqual({ ...report, processed: true });
    });

    test("of reports opened at once for one file, all get the first", async ({ store }) => {
      await store.run(changes.createDatabase(cloud({ databaseId: "shop" })));
      const results = await Promise.all(
        [1, 2, 3].map((count) =>
          store.run(
            changes.openReport({
              databaseId: "shop",
              file: "2026-10",
              rows: [{ targetId: "a", count }],
              requestedAt: NOW,
              processingTimeSeconds: 0,
              processed: false,
            }),
          ),
        ),
      );
      expect(new Set(results.map(({ rows }) => JSON.stringify(rows))).size).toBe(1);
    });

    test("datasets are kept as they were given", async ({ store }) => {
      const plain = dataset("one");
      const failing = dataset("two", {
        datasetTypeName: "ADVANCED",
        generationFailureMessage: "no",
        requestBody: {},
      });
      const warned = dataset("three", {
        generationWarning: { message: "careful", details: [{ code: "LOW", n: 1 }] },
      });
      for (const each of [plain, failing, warned]) await store.run(changes.createDataset(each));
      expect(await store.read(reads.datasets)).toEqual([plain, failing, warned]);
      expect(await store.read(reads.dataset("two"))).toEqual(failing);
      expect(await store.read(reads.dataset("four"))).toBeUndefined();
      expect(await store.run(changes.deleteDataset("two"))).toBe(true);
      expect(await store.run(changes.deleteDataset("two"))).toBe(false);
      expect(await store.read(reads.datasets)).toEqual([plain, warned]);
      await store.run(changes.finishProcessing);
      expect(await store.read(reads.dataset("one"))).toEqual({ ...plain, processed: true });
    });

    test("credentials are created up to a maximum", async ({ store }) => {
      for (const id of ["a", "b"])
        expect(await store.run(changes.createCredential(credential(id), 2))).toBe("created");
      expect(await store.run(changes.createCredential(credential("c"), 2))).toBe("full");
      expect(await store.read(reads.credential("c"))).toBeUndefined();
      expect(await store.run(changes.deleteCredential("a"))).toBe(true);
      expect(await store.run(changes.deleteCredential("a"))).toBe(false);
      expect(await store.run(changes.createCredential(credential("c"), 2))).toBe("created");
      expect(await store.read(reads.credentials)).toEqual([credential("b"), credential("c")]);
    });

    test("the last place for a credential is given once", async ({ store }) => {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.run(changes.createCredential(credential(`id ${index}`), 3)),
        ),
      );
      expect(results.filter((result) => result === "full")).toHaveLength(5);
    });

    test("a credential can replace another one, and its scopes can be set", async ({ store }) => {
      await store.run(changes.putCredential(credential("a")));
      await store.run(changes.putCredential({ ...credential("a"), clientSecret: "new" }));
      expect(await store.read(reads.credentials)).toEqual([{ ...credential("a"), clientSecret: "new" }]);
      const changed = await store.run(changes.setCredentialScopes("a", ["x", "y"]));
      expect(changed).toEqual({ clientId: "a", clientSecret: "new", scopes: ["x", "y"] });
      expect(await store.read(reads.credential("a"))).toEqual(changed);
      expect(await store.run(changes.setCredentialScopes("b", []))).toBeUndefined();
    });
  });
}
