import type { Browser, Page } from "playwright-core";

/** Errors and policy violations that a page reported. */
export const complaints = new WeakMap<Page, string[]>();

/** Opens a view of the page, and collects its complaints. */
export async function openPage(
  browser: Browser,
  url: string,
  view = "overview",
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<Page> {
  const page = await browser.newPage(options);
  const heard: string[] = [];
  complaints.set(page, heard);
  page.on("pageerror", (error) => heard.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") heard.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/#/${view}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/**
 * Drops files on the page.
 *
 * @param shown - selects what they are dropped on in the moment in which it is there; without it, they are dropped now.
 */
export async function drop(
  page: Page,
  files: readonly { readonly name: string; readonly bytes: Buffer; readonly type?: string }[],
  shown = "body",
): Promise<void> {
  const given = files.map(({ name, bytes, type = "image/png" }) => ({
    name,
    type,
    base64: bytes.toString("base64"),
  }));
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const { name, type, base64 } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type }));
    }
    const event = { dataTransfer, bubbles: true, cancelable: true };
    const dropOn = (_, observer) => {
      const element = document.querySelector(${JSON.stringify(shown)});
      if (element === null) return;
      observer.disconnect();
      element.dispatchEvent(new DragEvent("dragenter", event));
      element.dispatchEvent(new DragEvent("drop", event));
    };
    const observer = new MutationObserver(dropOn);
    observer.observe(document, { childList: true, subtree: true });
    dropOn([], observer);
  }`);
}
