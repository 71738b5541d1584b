import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { PAGE_HEADER } from "../../../core/schema/protocol.ts";
import type { MockReport, PageFeatures, PageRequestDetails } from "../../model.ts";

interface Notice {
  readonly id: number;
  readonly kind: "done" | "failed";
  readonly message: string;
  /** The dialog that was topmost; undefined: none. */
  readonly dialog: symbol | undefined;
}

export const dialogs = signal<readonly symbol[]>([]);

const SHOWN_MILLISECONDS = { done: 4000, failed: 10_000 };

export const notices = signal<readonly Notice[]>([]);
let last = 0;

export function notify(kind: Notice["kind"], message: string): void {
  last += 1;
  const id = last;
  notices.value = [...notices.value.slice(-3), { id, kind, message, dialog: dialogs.value.at(-1) }];
  setTimeout(() => dismiss(id), SHOWN_MILLISECONDS[kind]);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

class ApiError extends Error {}

/** Fields with the names that they have in the manager's API. */
function wire(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [snakeCase(name), wire(each)]));
}

/**
 * Sends a request to the manager that served the page.
 *
 * @param body - bytes, or an object in camel case.
 * @throws ApiError with the reason of the failure.
 */
export async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const isBytes = body instanceof Blob;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        [PAGE_HEADER]: "1",
        ...headers,
        ...(body !== undefined && {
          "Content-Type": isBytes ? "application/octet-stream" : "application/json",
        }),
      },
      ...(body !== undefined && { body: isBytes ? body : JSON.stringify(wire(body)) }),
    });
  } catch {
    throw new ApiError("the target manager does not answer");
  }
  if (!response.ok && response.status !== 304) throw new ApiError(await reasonOf(response));
  return response;
}

async function reasonOf(response: Response): Promise<string> {
  const content = await response.text();
  try {
    const { errors }: { errors: readonly { message: string; accepted?: string }[] } = JSON.parse(content);
    return errors
      .map(({ message, accepted }) => (accepted === undefined ? message : `${message}; expected ${accepted}`))
      .join(". ");
  } catch {
    return content === "" ? `${response.status} ${response.statusText}` : content;
  }
}

export async function askJson<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await ask(method, path, body);
  return response.json();
}

/** Returns whether an action succeeded; shows the reason of a failure. */
export async function attempt(
  action: () => Promise<unknown>,
  done?: string,
  concerns?: string,
): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) notify("done", done);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notify("failed", concerns === undefined ? reason : `${concerns}: ${reason}`);
    return false;
  }
}

/** Loaded when a component is shown, by an action that does not fail; null until then. */
export function useLoaded<T>(load: () => Promise<T>): Signal<T | null> {
  const loaded = useSignal<T | null>(null);
  useEffect(() => {
    let left = false;
    void load().then((given) => {
      if (!left) loaded.value = given;
    });
    return () => {
      left = true;
    };
  }, []);
  return loaded;
}

/** Builds a path from segments with any characters, and the query last. */
export function pathOf(...parts: readonly (string | Readonly<Record<string, string>>)[]): string {
  const written = parts.map((part) =>
    typeof part === "string" ? `/${encodeURIComponent(part)}` : `?${new URLSearchParams(part)}`,
  );
  return written.join("");
}

const embedded = document.getElementById("report")?.textContent;

/** The report embedded in the page; null when a server serves the page. With a report, the page sends no requests. */
export const report: MockReport | null = embedded == null ? null : JSON.parse(embedded);

/** URL of a picture as sent, or of a small version; undefined when there is none. */
export function imageUrl(sha256: string, version: "images" | "thumbnails" = "images"): string | undefined {
  if (report === null) return pathOf("page", version, sha256);
  const image = report.images[sha256];
  if (image?.base64 === undefined) return undefined;
  return `data:image/${image.format.toLowerCase()};base64,${image.base64}`;
}

export const featuresOf = (sha256: string, as: "query" | "target"): Promise<PageFeatures> =>
  askJson("GET", pathOf("page", "features", sha256, { as }));

/** @throws ApiError when the request is no longer kept. */
export async function loadRequestDetails(id: string): Promise<PageRequestDetails> {
  const request = report?.requests.find(({ number }) => String(number) === id);
  if (report !== null && request !== undefined) return { request, images: report.images };
  return askJson("GET", pathOf("page", "requests", id));
}

export async function base64Of(content: Blob): Promise<string> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
