/** nock gives these globals back, but as other kinds of properties than they were. */
const REPLACED_BY_NOCK = ["fetch", "Headers", "Request", "Response"] as const;

/** Remembers how the globals are defined that nock replaces; the function returned defines them so again. */
export function keepGlobalDescriptors(): () => void {
  const kept = REPLACED_BY_NOCK.map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  return () => {
    for (const [name, descriptor] of kept) {
      if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}
