import { bundled } from "../support/bundle.ts";

/** Makes few files of the package, once: each test file of this folder would take longer to import its sources than for its tests. */
export default async function setUp(): Promise<() => Promise<void>> {
  const { remove } = await bundled("src/index.ts", "src/mock/register.ts");
  return remove;
}
