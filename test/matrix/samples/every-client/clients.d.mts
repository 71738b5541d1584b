/** Clients of HTTP by name. */
export declare const CLIENTS: Readonly<Record<string, () => Promise<unknown>>>;
