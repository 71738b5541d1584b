import { expect, it } from "vitest";
import * as ofCore from "../../src/core/images/kernels/compiled.ts";
import * as ofPictures from "../../src/mock/pictures/compiled.ts";
import * as ofRecognition from "../../src/recognition/kernels/compiled.ts";
import { KERNEL_NAMES, readSources } from "./kernels/sources.ts";

const kernels = new Map(Object.entries({ ...ofCore, ...ofPictures, ...ofRecognition }));

it.each(KERNEL_NAMES)(
  "the compiled kernel %s is of its present sources: else run `npm run build:kernels`",
  async (name) => {
    expect(kernels.get(`${name}Kernel`)?.sourceSha256).toBe((await readSources(name)).sha256);
  },
);
