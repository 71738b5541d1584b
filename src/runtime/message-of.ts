/** What went wrong, in words. Anything can be thrown, also by users' own functions. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
