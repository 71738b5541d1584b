// Stands for the types of jsdom, which Vitest's types import: they would declare a browser's globals in all of our code.
export type ConstructorOptions = object;
export type DOMWindow = object;
