import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Draws an item, whose control has the tab index: Tab reaches one item of a list, and arrows the others. */
  readonly render: (item: Item, tabIndex: number) => ComponentChildren;
  /** Height of a row in pixels, with the gap below it. */
  readonly rowHeight: number;
  /** Columns as wide as this at least; without it there is one. */
  readonly columnWidth?: number;
  readonly label: string;
  readonly class?: string;
  /** Stays above the items. */
  readonly heads?: ComponentChildren;
  /** Shown at the end of the list whenever that is in view. */
  readonly follow?: boolean;
}

/** Rows that are drawn above and below what is in view. */
const MARGIN_ROWS = 6;

/**
 * A list of any length of which only what is in view is drawn, in rows of one height. The browser's own search and the
 * keyboard reach the rest by scrolling: arrows move from item to item.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, render, rowHeight, columnWidth, label, follow = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const top = useSignal(0);
  const atEnd = useRef(true);
  /** Index of the item that had the focus last. */
  const current = useSignal(-1);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const columns = columnWidth === undefined ? 1 : Math.max(1, Math.floor(size.value.width / columnWidth));
  const rows = Math.ceil(items.length / columns);
  const firstRow = Math.max(0, Math.min(rows - 1, Math.floor(top.value / rowHeight) - MARGIN_ROWS));
  const rowCount = Math.ceil(size.value.height / rowHeight) + 2 * MARGIN_ROWS;
  const topIndex = Math.min(items.length - 1, Math.ceil(top.value / rowHeight) * columns);
  const isCurrentDrawn =
    current.value >= firstRow * columns && current.value < (firstRow + rowCount) * columns;
  const tabStop = isCurrentDrawn && current.value < items.length ? current.value : topIndex;
  const shown = items.slice(firstRow * columns, (firstRow + rowCount) * columns);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (follow && atEnd.current && element !== null) element.scrollTop = element.scrollHeight;
  }, [items, follow, size.value]);

  /** Moves the focus by items; what is not drawn yet is scrolled to first. */
  const move = (event: KeyboardEvent): void => {
    const element = scroller.current;
    const focused = document.activeElement?.closest<HTMLElement>("[data-index]");
    if (element === null) return;
    const present = focused == null ? -1 : Number(focused.dataset.index);
    const perPage = Math.max(1, Math.floor(size.peek().height / rowHeight) - 1) * columns;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: present + columns,
      ArrowUp: present - columns,
      ...(columns > 1 && { ArrowRight: present + 1, ArrowLeft: present - 1 }),
      PageDown: present + perPage,
      PageUp: present - perPage,
      Home: 0,
      End: items.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    const wanted = Math.max(0, Math.min(items.length - 1, present === -1 ? 0 : step));
    const rowTop = Math.floor(wanted / columns) * rowHeight;
    const rowBottom = (list.current?.offsetTop ?? 0) + rowTop + rowHeight;
    if (rowTop < element.scrollTop) element.scrollTop = rowTop;
    else if (rowBottom > element.scrollTop + element.clientHeight)
      element.scrollTop = rowBottom - element.clientHeight;
    top.value = element.scrollTop;
    atEnd.current = wanted === items.length - 1;
    // After the rows are drawn, which is the microtask before this one, and before any other key.
    queueMicrotask(() =>
      element
        .querySelector<HTMLElement>(`[data-index="${wanted}"] :is(a, button)`)
        ?.focus({ preventScroll: true }),
    );
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    const scrolled = () => {
      if (element === null) return;
      const { scrollTop, clientHeight, scrollHeight } = element;
      top.value = scrollTop;
      atEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight;
    };
    const focused = ({ target }: FocusEvent) => {
      const index = target instanceof Element && target.closest<HTMLElement>("[data-index]")?.dataset.index;
      if (typeof index === "string") current.value = Number(index);
    };
    element?.addEventListener("focusin", focused);
    element?.addEventListener("keydown", move);
    element?.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      element?.removeEventListener("focusin", focused);
      element?.removeEventListener("keydown", move);
      element?.removeEventListener("scroll", scrolled);
    };
  });

  return (
    <div ref={scroller} class={`virtual ${props.class ?? ""}`}>
      {props.heads}
      <ul ref={list} aria-label={label} style={{ height: `${rows * rowHeight}px` }}>
        {shown.map((item, offset) => {
          const index = firstRow * columns + offset;
          return (
            <li
              key={keyOf(item)}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{
                top: `${Math.floor(index / columns) * rowHeight}px`,
                left: `${((index % columns) * 100) / columns}%`,
                width: `${100 / columns}%`,
                height: `${rowHeight}px`,
              }}
            >
              {render(item, index === tabStop ? 0 : -1)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
