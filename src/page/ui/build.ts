import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const DEFAULT_OUTPUT = fileURLToPath(new URL("../../../dist/page.html.br", import.meta.url));
const MAX_GZIP_BYTES = 150_000;

interface BuiltPage {
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Names of the packages whose code is in it. */
  readonly packages: readonly string[];
}

/** Bundles the page into one HTML file that loads nothing, compressed with Brotli; its policy allows only its own script and style. */
export async function buildPage(output = DEFAULT_OUTPUT): Promise<BuiltPage> {
  const bundled = await build({
    absWorkingDir: folder,
    entryPoints: ["main.tsx"],
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfigRaw: {},
    logLevel: "warning",
  });
  const built = (extension: string): string => {
    const file = bundled.outputFiles.find(({ path }) => path.endsWith(extension));
    if (file === undefined) throw new Error(`the bundler wrote no ${extension} file`);
    return file.text.trim();
  };
  const [script, style] = [built(".js"), built(".css")];
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    `style-src ${hashSource(style)}`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>mock-cloud-reco</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
<script>${script}</script>
</body>
</html>
`;
  const gzipBytes = gzipSync(page).length;
  if (gzipBytes > MAX_GZIP_BYTES)
    throw new Error(`the page has ${gzipBytes} bytes compressed; expected at most ${MAX_GZIP_BYTES}`);
  await mkdir(dirname(output), { recursive: true });
  // Replace the file in one step, because a server may be reading the previous build.
  await writeFile(`${output}.${process.pid}`, brotliCompressSync(page));
  await rename(`${output}.${process.pid}`, output);
  const packages = Object.keys(bundled.metafile.inputs).flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return { bytes: Buffer.byteLength(page), gzipBytes, packages: [...new Set(packages)] };
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46c8"/><path d="M8 12V9a1 1 0 0 1 1-1h3M20 8h3a1 1 0 0 1 1 1v3M24 20v3a1 1 0 0 1-1 1h-3M12 24H9a1 1 0 0 1-1-1v-3" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/><circle cx="16" cy="16" r="3.6" fill="#fff"/></svg>`;

const hashSource = (content: string): string =>
  `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { bytes, gzipBytes } = await buildPage(process.argv[2]);
  console.log(`page: ${bytes} bytes, ${gzipBytes} compressed`);
}
