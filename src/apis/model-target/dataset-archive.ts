import { createRequire } from "node:module";
import type * as Fflate from "fflate";
import { isJsonObject } from "../../emulator/json.ts";
import { asciiJson } from "../../emulator/text.ts";
import type { Dataset } from "../../schema/dataset.ts";

/** Loads fflate with the first archive. Not with `import()`, which Jest refuses in CommonJS. */
const loadModule = createRequire(import.meta.url);

/**
 * Every entry's time, so that the same dataset always gives the same bytes. Times inside a zip are local, and so is a
 * text without a zone: the bytes do not depend on the machine's time zone.
 */
const ENTRY_TIME = "1980-01-01T12:00:00";

const DESCRIPTION = `<?xml version="1.0" encoding="UTF-8"?>
<MTDataset version="1.0"/>
`;

/** The zip of a finished dataset. Nothing is compressed, so that the bytes do not depend on a compressor's version. */
export async function datasetArchive(dataset: Dataset): Promise<Buffer> {
  const { strToU8, zipSync }: typeof Fflate = loadModule("fflate");
  const files = { "MTDataset.dat": strToU8(metadataOf(dataset)), "MTDataset.xml": strToU8(DESCRIPTION) };
  return Buffer.from(zipSync(files, { level: 0, mtime: ENTRY_TIME }));
}

/** The request without the CAD data, which may be large. Equal requests of a family have equal metadata. */
function metadataOf({ datasetTypeName: family, requestBody }: Dataset): string {
  const { models } = requestBody;
  const request = Array.isArray(models) ? { ...requestBody, models: models.map(withoutBlob) } : requestBody;
  return sortedJson({ datasetType: family, request });
}

function withoutBlob(model: unknown): unknown {
  if (!isJsonObject(model)) return model;
  const { cadDataBlob: _left, ...rest } = model;
  return rest;
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isJsonObject(value)) return asciiJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${asciiJson(key)}:${sortedJson(value[key])}`);
  return `{${members.join(",")}}`;
}
