import type { ApiResponse, Context } from "./context.ts";
import type { HeaderList } from "./message.ts";
import { dateOf } from "./response.ts";

/** Responses whose only headers are `Content-Type`, `Date` and `Content-Length`. */

/** The headers of such a response. */
export const dated =
  (contentType?: string) =>
  (at: Pick<Context, "now">): HeaderList => [
    ...(contentType === undefined ? [] : [["Content-Type", contentType] as const]),
    ["Date", dateOf(at)],
  ];

/** Such a response, without `Date`. */
export function bodyReply(status: number, contentType: string, content: string): ApiResponse {
  const body = Buffer.from(content);
  return {
    status,
    headers: [
      ["Content-Type", contentType],
      ["Content-Length", String(body.length)],
    ],
    body,
  };
}
