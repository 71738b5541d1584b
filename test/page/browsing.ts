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

/** Drops files on the page. */
export async function drop(
  page: Page,
  files: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<void> {
  const given = files.map(({ name, bytes }) => ({ name, base64: bytes.toString("base64") }));
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const { name, base64 } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type: "image/png" }));
    }
    const event = { dataTransfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent("dragenter", event));
    document.body.dispatchEvent(new DragEvent("drop", event));
  }`);
}
