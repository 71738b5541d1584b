import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { dialogs } from "../state/api.ts";
import { set } from "./controls.tsx";
import { Dialog } from "./dialogs.tsx";
import { Facts } from "./facts.tsx";

const KEYS = [
  ["/", "search"],
  ["j, k", "next, previous in a list"],
  ["Enter", "open"],
  ["Escape", "close"],
  ["?", "show these keys"],
] as const;

/** Keys of every view, except in dialogs and text fields. They change only the view. */
export function Shortcuts() {
  const isHelpOpen = useSignal(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || dialogs.value.length > 0) return;
      if (document.activeElement?.matches("input:not([type=checkbox]), select, textarea") === true) return;
      const search = document.querySelector<HTMLElement>("main input[type=search]");
      if (event.key === "/" && search !== null) search.focus();
      else if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
      else if (event.key === "?") isHelpOpen.value = true;
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return isHelpOpen.value ? (
    <Dialog title="Keys" onClose={() => set(isHelpOpen, false)}>
      <Facts facts={KEYS.map(([key, what]) => [key, what] as const)} />
    </Dialog>
  ) : null;
}

/** Moves the focus in the view's list. Opens the item if details are open. */
function move(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main .list li > button")];
  const focused = rows.findIndex((row) => row.matches(":focus"));
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute("aria-current"));
  // Without a choice, the row that Tab would reach.
  const next = at < 0 ? rows.find((row) => row.tabIndex === 0) : rows[at + step];
  next?.focus();
  if (document.querySelector("main .details") !== null) next?.click();
}
