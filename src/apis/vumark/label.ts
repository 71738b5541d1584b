/** How an instance id is drawn: in lines of cells of one size, centred on a page. Sizes are in pixels or points. */
export interface Label {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly (readonly string[])[];
  /** Size of one unit; a character's cell is 6 units wide and 10 high. */
  readonly scale: number;
}

export const CELL_WIDTH = 6;
export const CELL_HEIGHT = 10;
const PAGE_WIDTH = 512;
const MIN_PAGE_HEIGHT = 256;
/** Space between the page's edge and the text, in which the frame is drawn. */
const MARGIN = 32;
const LARGEST_SCALE = 10;
/** 37 characters fit in a line at this scale: a UUID stays whole. */
const SMALLEST_SCALE = 2;
const MOST_LINES = 40;

/** Lays characters out as large as they fit in one line, or in several lines if even the smallest do not fit. */
export function layOut(characters: readonly string[]): Label {
  const textWidth = PAGE_WIDTH - 2 * MARGIN;
  const fitting = Math.floor(textWidth / (CELL_WIDTH * Math.max(1, characters.length)));
  const scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, fitting));
  const columns = Math.floor(textWidth / (CELL_WIDTH * scale));
  const lines: (readonly string[])[] = [];
  for (let start = 0; start < characters.length && lines.length < MOST_LINES; start += columns) {
    lines.push(characters.slice(start, start + columns));
  }
  if (characters.length > columns * MOST_LINES) lines.push([..."..."]);
  const height = Math.max(MIN_PAGE_HEIGHT, 2 * MARGIN + lines.length * CELL_HEIGHT * scale);
  return { width: PAGE_WIDTH, height, lines, scale };
}

/** Where a line's first cell begins: its left edge, and its top from the page's top. */
export function placeOf({ width, height, lines, scale }: Label, line: number) {
  const length = lines[line]?.length ?? 0;
  return {
    left: Math.floor((width - length * CELL_WIDTH * scale) / 2),
    top: Math.floor((height - lines.length * CELL_HEIGHT * scale) / 2) + line * CELL_HEIGHT * scale,
  };
}

/** The frame around the label, as distances from the page's edge. */
export const FRAME = { outer: 8, inner: 14 };

/** More than all lines hold, however narrow the characters are: splitting a long id takes long. */
const MOST_DRAWN = 4000;

/** The characters of an id that may be drawn. */
export const charactersOf = (id: string): string[] => [...id.slice(0, MOST_DRAWN)];

/** An id as printable ASCII: other characters are written as `\u{…}`, so that no further font is needed. */
export function printable(id: string): string[] {
  return charactersOf(id).flatMap((character) =>
    /^[ -~]$/.test(character) ? [character] : [...`\\u{${character.codePointAt(0)?.toString(16)}}`],
  );
}
