#!/usr/bin/env bash
# fflate 0.8.3, adm-zip 0.6.1, jszip 3.10.2, yauzl 3.4.0, unzipper 0.12.5, Node 20.20.
# Expected: archives whose writer did not know the sizes in advance have these behind the data, with or without a signature of four bytes
# before them: APPNOTE.TXT, 4.3.9.3, says that readers must take both. Streaming readers take them too.
# Seen: all readers of whole archives take both. Of the two streaming ones, fflate's reads the first file and misses the end of the second,
# and unzipper's ends with an error. An archive for unknown readers has the signature.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='with a signature: fflate 2, adm-zip 2, jszip 2, yauzl 2, unzipper 2, fflate stream 2, unzipper stream 2
without: fflate 2, adm-zip 2, jszip 2, yauzl 2, unzipper 2, fflate stream 1, unzipper stream error'
try fflate@0.8.3 adm-zip@0.6.1 jszip@3.10.2 yauzl@3.4.0 unzipper@0.12.5 <<'EOF'
import { once } from "node:events";
import { Readable } from "node:stream";
import { crc32, deflateRawSync } from "node:zlib";
import AdmZip from "adm-zip";
import * as fflate from "fflate";
import JSZip from "jszip";
import unzipper from "unzipper";
import yauzl from "yauzl";

const FILES = { "a.txt": "hello ".repeat(50), "b.txt": "world" };
function archive(isSigned) {
  const locals = [];
  const central = [];
  let offset = 0;
  for (const [name, text] of Object.entries(FILES)) {
    const data = deflateRawSync(text);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(text), 0);
    sizes.writeUInt32LE(data.length, 4);
    sizes.writeUInt32LE(text.length, 8);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(8, 6); // Sizes follow the data.
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(0x21, 12);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    local.copy(entry, 6, 4, 14);
    sizes.copy(entry, 16);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    const signature = isSigned ? Buffer.from("504b0708", "hex") : Buffer.alloc(0);
    const parts = [local, Buffer.from(name), data, signature, sizes];
    locals.push(...parts);
    central.push(entry, Buffer.from(name));
    offset += Buffer.concat(parts).length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(2, 8);
  end.writeUInt16LE(2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const whole = {
  fflate: (bytes) => Object.keys(fflate.unzipSync(bytes)).length,
  "adm-zip": (bytes) => new AdmZip(bytes).getEntries().filter((entry) => entry.getData().length > 0).length,
  jszip: async (bytes) => Object.keys((await JSZip.loadAsync(bytes)).files).length,
  yauzl: async (bytes) => {
    const opened = await new Promise((resolve, reject) => {
      yauzl.fromBuffer(bytes, { lazyEntries: false }, (error, zip) => (error ? reject(error) : resolve(zip)));
    });
    let count = 0;
    opened.on("entry", () => count++);
    await once(opened, "end");
    return count;
  },
  unzipper: async (bytes) => {
    const { files } = await unzipper.Open.buffer(bytes);
    for (const file of files) await file.buffer();
    return files.length;
  },
  "fflate stream": (bytes) => {
    let ended = 0;
    const reader = new fflate.Unzip((file) => {
      file.ondata = (error, _data, isLast) => {
        if (!error && isLast) ended++;
      };
      file.start();
    });
    reader.register(fflate.UnzipInflate);
    reader.push(bytes, true);
    return ended;
  },
  "unzipper stream": async (bytes) => {
    let count = 0;
    for await (const entry of Readable.from([bytes]).pipe(unzipper.Parse({ forceStream: true }))) {
      await entry.buffer();
      count++;
    }
    return count;
  },
};
for (const [name, isSigned] of [["with a signature", true], ["without", false]]) {
  const counts = [];
  for (const [reader, count] of Object.entries(whole))
    counts.push(`${reader} ${await Promise.resolve(archive(isSigned)).then(count).catch(() => "error")}`);
  console.log(`${name}: ${counts.join(", ")}`);
}
EOF
