/** Joins the lines into which a failing test's explanation is broken for a terminal. */
export const unwrapped = (text: string): string => text.replace(/\n {2}(?: {3})?(?=\S)/g, " ");
