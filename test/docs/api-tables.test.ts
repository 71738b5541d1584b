import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { APIS } from "../../src/core/apis/index.ts";
import { managerApi } from "../../src/core/apis/manager/api.ts";

const apis = new URL("../../src/core/apis/", import.meta.url);
const documented = readdirSync(apis, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith("README.md"),
);

/** The rows of the table of routes, which are the only ones that begin with a method. */
const routesIn = (file: string): string[] =>
  readFileSync(new URL(file, apis), "utf8")
    .split("\n")
    .filter((line) => /^\| `[A-Z]+ \//.test(line));

interface Row {
  readonly method: string;
  readonly path: string;
  readonly name: string;
  readonly summary: string;
}
const row = ({ method, path, name, summary }: Row) => `| \`${method} ${path}\` | \`${name}\` | ${summary} |`;

it("every operation has its row in the page of one API, and there are no others", () => {
  const rows = documented.flatMap(routesIn).sort();
  expect(rows.length).toBeGreaterThan(40);
  expect(rows).toEqual(
    Object.values(APIS)
      .flatMap(({ operations }) => operations.map(row))
      .sort(),
  );
});

it("the guide on Model Targets has their routes", () => {
  const guide = readFileSync(new URL("../../examples/model-targets/README.md", import.meta.url), "utf8");
  const routes = guide.split("\n").filter((line) => /^\| `[A-Z]+ \//.test(line));
  const { operations } = APIS.modelTarget;
  const own = operations.filter(({ path }) => !path.startsWith("/modeltargets/advancedDatasets"));
  expect(routes).toEqual(own.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`));
  const others = operations.filter((operation) => !own.includes(operation));
  const sameRoutes = others.map(
    ({ method, path }) => `${method} ${path.replace("advancedDatasets", "datasets")}`,
  );
  expect(own.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(sameRoutes));
  expect(guide).toContain(`has the same ${["no", "one", "two", "three", "four"][others.length]} routes`);
});

it("the target manager's page has its operations in order, and its checks", () => {
  expect(routesIn("manager/README.md")).toEqual(managerApi.operations.map(row));
  const page = readFileSync(new URL("manager/README.md", apis), "utf8");
  const checks = [...page.matchAll(/^\| `(\w+)` \| ([\d, ]+) \|/gm)].map(([, name, statuses]) => [
    name,
    statuses,
  ]);
  const declared = new Map(
    managerApi.operations.flatMap(({ checks }) =>
      checks.flatMap(({ name, refusals }) =>
        typeof refusals === "function" ? [] : [[name, refusals.map(({ status }) => status).join(", ")]],
      ),
    ) as [string, string][],
  );
  expect(new Map(checks.map(([name = "", statuses = ""]) => [name, statuses]))).toEqual(declared);
});
