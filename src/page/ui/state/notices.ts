import { signal } from "@preact/signals";

export interface Notice {
  readonly id: number;
  readonly kind: "done" | "failed";
  readonly message: string;
}

const SHOWN_MILLISECONDS = { done: 4000, failed: 10_000 };

export const notices = signal<readonly Notice[]>([]);
let last = 0;

/** Shows a short notice of success or failure. */
export function notify(kind: Notice["kind"], message: string): void {
  last += 1;
  const id = last;
  notices.value = [...notices.value.slice(-3), { id, kind, message }];
  setTimeout(() => dismiss(id), SHOWN_MILLISECONDS[kind]);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
