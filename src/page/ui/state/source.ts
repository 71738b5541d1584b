import type { MockReport, PageRequestDetails } from "../../model.ts";
import { askJson, pathOf } from "./api.ts";

const embedded = document.getElementById("report")?.textContent;

/** The report embedded in the page; null when a server serves the page. With a report, the page sends no requests. */
export const report: MockReport | null = embedded == null ? null : JSON.parse(embedded);

/** URL of a small version of a picture; undefined when there is none. */
export const thumbnailUrl = (sha256: string): string | undefined =>
  report === null ? pathOf("page", "thumbnails", sha256) : embeddedUrl(sha256);

/** URL of a picture as sent; undefined when there is none. */
export const imageUrl = (sha256: string): string | undefined =>
  report === null ? pathOf("page", "images", sha256) : embeddedUrl(sha256);

function embeddedUrl(sha256: string): string | undefined {
  const image = report?.images[sha256];
  if (image?.base64 === undefined) return undefined;
  return `data:image/${image.format === "PNG" ? "png" : "jpeg"};base64,${image.base64}`;
}

/** @throws ApiError when the request is no longer kept. */
export async function requestDetails(id: string): Promise<PageRequestDetails> {
  const request = report?.requests.find(({ number }) => String(number) === id);
  if (report !== null && request !== undefined) return { request, images: report.images };
  return askJson("GET", pathOf("page", "requests", id));
}
