import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Draws an item, whose control has the tab index: Tab reaches one item of a list, and arrows the others. */
  readonly render: (item: Item, tabIndex: number) => ComponentChildren;
  /** Height of a row in pixels, with the gap below it, by its first item and the width of the list. */
  readonly rowHeight: (first: Item, width: number) => number;
  /** Columns as wide as this at least; without it there is one. */
  readonly columnWidth?: number;
  readonly label: string;
  readonly class?: string;
  /** Stays above the items. */
  readonly heads?: ComponentChildren;
  /** Shown at the end of the list whenever that is in view. */
  readonly follow?: boolean;
}

/** A list is at its end if it is as near to it, in pixels. */
const AT_END = 40;
/** Rows that are drawn above and below what is in view. */
const MARGIN_ROWS = 6;

/**
 * A list of any length of which only what is in view is drawn. The browser's own search and the
 * keyboard reach the rest by scrolling: arrows move from item to item.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, render, rowHeight, columnWidth, label, follow = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const top = useSignal(0);
  const atEnd = useRef(true);
  /** Index of the first item in view, and the width of the list, when it was scrolled last. */
  const seen = useRef({ index: 0, width: 0 });
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
  /** The top of each row, and the bottom of the last one. */
  const tops = useMemo(() => {
    const found = [0];
    for (let index = 0; index < items.length; index += columns) {
      const first = items[index];
      if (first !== undefined) found.push((found.at(-1) ?? 0) + rowHeight(first, size.value.width));
    }
    return found;
  }, [items, columns, rowHeight, size.value.width]);
  const rows = tops.length - 1;
  const topOf = (row: number): number => tops[Math.max(0, Math.min(rows, row))] ?? 0;
  /** The row at a height. */
  const rowAt = (height: number): number =>
    Math.max(
      0,
      tops.findLastIndex((rowTop, row) => row < rows && rowTop <= height),
    );
  const { width, height } = size.value;
  const { value: scrollTop } = top;
  // Rows have other heights in another width; the first one in view stays there.
  const isResized = seen.current.width !== width;
  const topNow = isResized ? topOf(Math.floor(seen.current.index / columns)) : scrollTop;
  const topRow = rowAt(topNow);
  const firstRow = Math.max(0, topRow - MARGIN_ROWS);
  const endRow = rowAt(topNow + height) + 1 + 2 * MARGIN_ROWS;
  const topIndex = Math.min(items.length - 1, (topOf(topRow) < topNow ? topRow + 1 : topRow) * columns);
  const isCurrentDrawn = current.value >= firstRow * columns && current.value < endRow * columns;
  const tabStop = isCurrentDrawn && current.value < items.length ? current.value : topIndex;
  const shown = items.slice(firstRow * columns, endRow * columns);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isResized || element === null) return;
    element.scrollTop = topNow;
    element.querySelector("li:focus-within")?.scrollIntoView({ block: "nearest" });
    seen.current = { index: topRow * columns, width };
    top.value = element.scrollTop;
  }, [width]);

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
    const perPage =
      Math.max(1, rowAt(element.scrollTop + element.clientHeight) - rowAt(element.scrollTop) - 1) * columns;
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
    const row = Math.floor(wanted / columns);
    const rowTop = topOf(row);
    const rowBottom = (list.current?.offsetTop ?? 0) + topOf(row + 1);
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

  const scrolled = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    top.value = scrollTop;
    seen.current = { index: rowAt(scrollTop) * columns, width: seen.current.width };
    atEnd.current = scrollTop + clientHeight >= scrollHeight - AT_END;
  };
  const focused = ({ target }: FocusEvent): void => {
    const index = target instanceof Element && target.closest<HTMLElement>("[data-index]")?.dataset.index;
    if (typeof index === "string") current.value = Number(index);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the items' own controls.
    <div
      ref={scroller}
      class={`virtual grow ${props.class ?? ""}`}
      onFocusIn={focused}
      onKeyDown={move}
      onScroll={scrolled}
    >
      {props.heads}
      <ul ref={list} aria-label={label} style={{ height: `${topOf(rows)}px` }}>
        {shown.map((item, offset) => {
          const index = firstRow * columns + offset;
          const row = Math.floor(index / columns);
          return (
            <li
              key={keyOf(item)}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{
                top: `${topOf(row)}px`,
                left: `${((index % columns) * 100) / columns}%`,
                width: `${100 / columns}%`,
                height: `${topOf(row + 1) - topOf(row)}px`,
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
