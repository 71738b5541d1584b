export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, starting at 1. */
  readonly line: number;
}

/** The fenced code blocks of a Markdown document, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? "",
    text: (match[2] ?? "").trimEnd(),
    line: markdown.slice(0, match.index).split("\n").length,
  }));
}

/** How many words a Markdown document has outside of code blocks and of tables that are generated. */
export const wordsOf = (markdown: string): number =>
  markdown
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/^<!-- .* -->\n(\|.*\n)+/gm, "")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
