import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { sayWhatIsSkipped } from "../support/skipped.ts";

const main = inject("command");
const ISOLATED = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
const canMount =
  spawnSync("unshare", [...ISOLATED, "sh", "-c", "mount --bind /dev/null /etc/hosts"]).status === 0;
if (!canMount) sayWhatIsSkipped("a state file that is a mount (no name spaces)");

test.skipIf(!canMount)(
  "a state file that is a mount of its own, as containers make one, is written in place",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mounted-"));
    try {
      await Promise.all(["outside.json", "state.json"].map((name) => writeFile(join(folder, name), "")));
      const program = `mount --bind outside.json state.json
"$NODE" "$MAIN" exec --state state.json -- "$NODE" -e "fetch(process.env.VUFORIA_MANAGER_URL + '/cloud_databases', { method: 'POST', body: '{}' })"`;
      const env = { ...process.env, NODE: process.execPath, MAIN: main };
      const { stderr } = await promisify(execFile)("unshare", [...ISOLATED, "sh", "-ec", program], {
        cwd: folder,
        env,
      });
      expect(stderr.match(/is a mount of its own, so it is written in place/g)).toHaveLength(1);
      expect(JSON.parse(await readFile(join(folder, "outside.json"), "utf8")).databases).toHaveLength(2);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
