import { createHash } from "node:crypto";
import { promises as fs } from "node:fs";
import { dirname, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { MockCloudReco } from "../index.ts";

/** What a runner says of a test. */
export interface TestIdentity {
  /** Full name, including the names of the enclosing blocks. */
  readonly name?: string | undefined;
  /** Path of the test's file. */
  readonly file?: string | undefined;
}

const MOST_NAME_CHARACTERS = 80;

/** The path of a test's report: the same in each run, and different for tests of the same name in different files. */
export function reportPath(folder: string, { name = "test", file = process.argv[1] }: TestIdentity): string {
  const readable = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const hash = createHash("sha256").update(`${file} ${name}`).digest("hex").slice(0, 8);
  return resolve(folder, `${readable.slice(0, MOST_NAME_CHARACTERS)}-${hash}.html`);
}

/** Writes the report of a failed test. Never rejects: a problem must not hide why the test failed. */
export async function writeFailureReport(
  mock: MockCloudReco,
  path: string,
  { name = "test", error }: { readonly name?: string | undefined; readonly error: string },
): Promise<void> {
  try {
    await fs.mkdir(dirname(path), { recursive: true });
    await mock.writeReport(path, {
      test: { name, ...(error !== "" && { error: stripVTControlCharacters(error) }) },
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    process.emitWarning(`the report ${path} was not written: ${why}`, { code: "MOCK_CLOUD_RECO_REPORT" });
  }
}
