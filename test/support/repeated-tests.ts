import type { Reporter, TestModule } from "vitest/node";

/** Names the tests that passed only when they were repeated: those of browsers and of programs may, once. */
export class RepeatedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const repeated = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.result().state === "passed" && (test.diagnostic()?.retryCount ?? 0) > 0)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`),
    );
    if (repeated.length > 0) console.log(["Passed only when repeated:", ...repeated].join("\n"));
  }
}
