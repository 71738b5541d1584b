/** Remembers how properties are defined; the function returned defines them so again. */
export function keepProperties(owner: object, names: readonly string[]): () => void {
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(owner, name)] as const);
  return () => {
    for (const [name, descriptor] of kept) {
      if (descriptor !== undefined) Object.defineProperty(owner, name, descriptor);
    }
  };
}
