import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { buildCode } from "../../.ci/build.ts";
import { BUILT_PACKAGE } from "./bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the command, for projects that start it. */
    readonly command: string;
  }
}

/** With `STAGED=1`, what `npm run stage` has built is tested: `.ci/run` builds it once for several versions of Node. */
export const IS_STAGED = process.env.STAGED === "1";

/** Whether the run, of which a project is a part, has tests of the declarations. Vitest sets up projects in any order. */
function testsDeclarations({ vitest }: TestProject): boolean {
  const declarations = vitest.projects.find(({ name }) => name === "declarations");
  return vitest.state.getPaths().some((path) => declarations?.matchesTestGlob(path));
}

/**
 * Builds the package's code once for all projects of a run: what programs start, and threads import, loads in half of the time of a
 * bundle that reads everything at once, and in a small part of the time of the sources.
 */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ("command" in project.getProvidedContext()) return undefined;
  const build = () => buildCode(BUILT_PACKAGE, !IS_STAGED && testsDeclarations(project));
  await build();
  project.onTestsRerun(build);
  project.vitest.provide("command", `${BUILT_PACKAGE}/cli.cjs`);
  return () => rm(BUILT_PACKAGE, { recursive: true });
}
