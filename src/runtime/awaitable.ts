/** A value now or later. Stores in memory answer at once, stores behind a network later. */
export type Awaitable<T> = T | Promise<T>;
