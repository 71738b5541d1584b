import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

interface ListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The item's control gets the tab index: Tab reaches one item of a list, arrows the others. */
  readonly render: (item: Item, tabIndex: number, chosen: boolean) => ComponentChildren;
  /** Key of the item whose details are shown. */
  readonly chosen?: string | null;
  readonly label: string;
  readonly class?: string;
  /** Stays above the items. */
  readonly heads?: ComponentChildren;
  /** Keeps the end of the list in view once it is. */
  readonly follow?: boolean;
}

/** In pixels from the end. */
const AT_END = 40;

/** A list whose items the browser draws when they come into view. */
export function List<Item>(props: ListProps<Item>) {
  const { items, keyOf, render, chosen = null, label, heads, follow = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const current = useSignal<string | null>(null);
  const keys = items.map(keyOf);
  const first = keys.includes(current.value ?? "")
    ? current.value
    : (keys[follow ? keys.length - 1 : 0] ?? null);

  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (follow && atEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [items, follow]);

  // The details beside the list make it narrower, and its rows higher.
  useLayoutEffect(() => {
    scroller.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const move = (event: KeyboardEvent): void => {
    const { current: element } = scroller;
    const rows = [...(element?.querySelectorAll<HTMLElement>("li") ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[at];
    if (element === null || row === undefined) return;
    const columns = Math.max(
      1,
      rows.findIndex(({ offsetTop }) => offsetTop > (rows[0]?.offsetTop ?? 0)),
    );
    const page = Math.max(1, Math.floor(element.clientHeight / row.offsetHeight) - 1) * columns;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + columns,
      ArrowUp: at - columns,
      ...(columns > 1 && { ArrowRight: at + 1, ArrowLeft: at - 1 }),
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const wanted = rows[Math.max(0, Math.min(rows.length - 1, step))];
    wanted?.querySelector<HTMLElement>("a, button")?.focus();
  };
  const scrolled = ({ currentTarget: element }: { readonly currentTarget: HTMLElement }): void => {
    atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - AT_END;
  };
  const focused = ({ target }: FocusEvent): void => {
    const key = target instanceof Element && target.closest<HTMLElement>("[data-key]")?.dataset.key;
    if (typeof key === "string") current.value = key;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the items' own controls.
    <div
      ref={scroller}
      class={`list grow ${props.class ?? ""}`}
      onFocusIn={focused}
      onKeyDown={move}
      onScroll={scrolled}
    >
      {heads}
      <ul aria-label={label}>
        {items.map((item, index) => {
          const key = keys[index] ?? "";
          return (
            <Item
              key={key}
              id={key}
              item={item}
              tabIndex={key === first ? 0 : -1}
              chosen={key === chosen}
              render={render}
            />
          );
        })}
      </ul>
    </div>
  );
}

interface ItemProps<Item> extends Pick<ListProps<Item>, "render"> {
  readonly item: Item;
  readonly id: string;
  readonly tabIndex: number;
  readonly chosen: boolean;
}

/** Drawn again only when it changed. */
function Item<Item>({ item, id, tabIndex, chosen, render }: ItemProps<Item>) {
  return useMemo(() => <li data-key={id}>{render(item, tabIndex, chosen)}</li>, [item, id, tabIndex, chosen]);
}
