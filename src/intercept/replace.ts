export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a function. Returns a function that restores the original, unless other code has replaced ours. */
export function replace(
  owner: object,
  name: string | symbol,
  wrap: (original: AnyFunction) => AnyFunction,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = Reflect.get(owner, name);
  if (!isFunction(original)) throw new TypeError(`expected Node to have a function "${String(name)}"`);
  const replaced = wrap(original);
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    enumerable: descriptor?.enumerable ?? true,
    value: replaced,
  });
  return () => {
    if (Reflect.get(owner, name) !== replaced) return;
    if (descriptor === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, descriptor);
  };
}

export const isFunction = (value: unknown): value is AnyFunction => typeof value === "function";
