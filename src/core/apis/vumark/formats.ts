import type { DeclaredResponse } from "../../emulator/response.ts";
import { serviceHeaders } from "../signed/responses.ts";
import { pdfInstance, pngInstance, svgInstance } from "./instances.ts";

const instance = (contentType: string): DeclaredResponse<Buffer> => ({
  status: 200,
  description: "The image.",
  headers: serviceHeaders(contentType),
  body: (_context, image) => image,
});

/** By media type: the response, and what renders an id. Not the function itself: what it is in is read when it is first called. */
export const FORMATS = new Map([
  ["image/png", { response: instance("image/png"), render: (id: string) => pngInstance(id) }],
  ["image/svg+xml", { response: instance("image/svg+xml"), render: (id: string) => svgInstance(id) }],
  ["application/pdf", { response: instance("application/pdf"), render: (id: string) => pdfInstance(id) }],
]);
