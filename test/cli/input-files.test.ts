import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, test } from "vitest";
import { FILES } from "./input-files.ts";

const main = inject("command");

const rows = FILES.map(([what, args, content, said, code = 2]) => ({ what, args, content, said, code }));

test.concurrent.each(rows)("$what", async ({ args, content, said, code }) => {
  const folder = await mkdtemp(join(tmpdir(), "input-"));
  const file = join(folder, "given");
  try {
    if (content === "folder") await mkdir(file);
    else if (content !== "none") await writeFile(file, content);
    const given = args.split(" ").map((argument) => argument.replace("FILE", file));
    const env = {
      PATH: process.env.PATH,
      VUFORIA_SERVER_ACCESS_KEY: args.includes("--keys") ? undefined : "key",
      VUFORIA_SERVER_SECRET_KEY: args.includes("--keys") ? undefined : "hunter2",
    };
    const command = spawn(process.execPath, [main, ...given], { env, stdio: ["ignore", "pipe", "pipe"] });
    const [[exit], ...printed] = await Promise.all([
      once(command, "close"),
      text(command.stdout),
      text(command.stderr),
    ]);
    const all = printed.join("");
    expect(all).toContain(said);
    expect(all).not.toContain("hunter2");
    expect(all).not.toMatch(/\n\s+at /);
    expect(exit).toBe(code);
  } finally {
    await rm(folder, { recursive: true });
  }
});
