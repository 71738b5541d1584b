import { loadModule } from "./load-module.ts";

const PATH = /[\\/]node_modules[\\/]@?(node-libcurl|impit|wreq-js|cycletls|node-curl-impersonate)[-\\/]/;

/** The HTTP client that a file belongs to, if it opens its own sockets, which nothing in Node can intercept. */
export const nativeClientOf = (path: string): string | undefined => PATH.exec(path)?.[1];

/** Those that this process has loaded. */
export const loadedNativeClients = (): readonly string[] => [
  ...new Set(Object.keys(loadModule.cache).flatMap((path) => nativeClientOf(path) ?? [])),
];
