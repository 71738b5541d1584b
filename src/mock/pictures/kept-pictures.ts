interface CachedPicture {
  readonly file: Promise<Buffer>;
  /** 0 while it is drawn. */
  bytes: number;
}

/** About 400 files of the default size and format. */
const MOST_BYTES = 8 * 2 ** 20;

/** In the order of their last use. */
const kept = new Map<string, CachedPicture>();
let keptBytes = 0;

/** Returns a copy of the file with this key, so that a test may write into it. Draws a file that is not kept. */
export async function keptPicture(key: string, draw: () => Promise<Buffer>): Promise<Buffer> {
  const known = kept.get(key);
  if (known === undefined) return Buffer.from(await keep(key, draw()));
  kept.delete(key);
  kept.set(key, known);
  return Buffer.from(await known.file);
}

function keep(key: string, file: Promise<Buffer>): Promise<Buffer> {
  const picture = { file, bytes: 0 };
  kept.set(key, picture);
  file.then(
    ({ length }) => {
      picture.bytes = length;
      keptBytes += length;
      dropOldest();
    },
    () => kept.delete(key),
  );
  return file;
}

function dropOldest(): void {
  for (const [key, { bytes }] of kept) {
    if (keptBytes <= MOST_BYTES) return;
    if (bytes === 0) continue;
    kept.delete(key);
    keptBytes -= bytes;
  }
}
