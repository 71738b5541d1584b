import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";
import { type AnyFunction, replace } from "./replace.ts";

/** Key on Node's module, which is loaded once; Jest loads this file for each test file. */
const SLOT = Symbol.for("mock-cloud-reco.descendants.1");

/**
 * Lets the worker threads and the Node processes that this thread starts load a module before their own code.
 *
 * Threads and forks get it by their options. All other processes get it by the environment variable `NODE_OPTIONS`, unless they are
 * started with an environment of their own. Node's documentation describes both.
 *
 * @param path - the path of a CommonJS module.
 * @returns whether this thread or process was started so itself.
 */
export function loadInDescendants(path: string): boolean {
  const known: unknown = Reflect.get(workerThreads, SLOT);
  const isDescendant =
    typeof known === "boolean"
      ? known
      : process.execArgv.includes(path) || process.env.NODE_OPTIONS?.includes(nodeOption(path)) === true;
  // Each test file of Jest has an environment of its own.
  process.env.NODE_OPTIONS = withOption(process.env.NODE_OPTIONS, path);
  if (known === undefined) {
    replace(workerThreads, "Worker", (original) => loadingWorker(original, path));
    replace(childProcess, "fork", (original) => {
      return function (...args) {
        return original.apply(this, loadingFork(args, path));
      };
    });
    syncBuiltinESMExports();
    Object.defineProperty(workerThreads, SLOT, { value: isDescendant });
  }
  return isDescendant;
}

/** JSON has the quotation marks and escapes that Node reads in `NODE_OPTIONS`. */
const nodeOption = (path: string): string => `--require ${JSON.stringify(path)}`;

function withOption(options: string | undefined, path: string): string {
  const option = nodeOption(path);
  if (options === undefined || options === "") return option;
  return options.includes(option) ? options : `${options} ${option}`;
}

function loadingWorker(original: AnyFunction, path: string): AnyFunction {
  const proxy: AnyFunction = new Proxy(original, {
    construct(target, [file, given = {}, ...rest], newTarget) {
      const constructed = (flags: readonly string[]): object => {
        const execArgv = flags.includes(path) ? flags : [...flags, "--require", path];
        const args = [file, { ...given, execArgv }, ...rest];
        return Reflect.construct(target, args, newTarget === proxy ? target : newTarget);
      };
      if (Array.isArray(given?.execArgv)) return constructed(given.execArgv);
      try {
        return constructed(process.execArgv);
      } catch (error) {
        // A thread refuses some flags of its process, such as those of V8, and the error lists them.
        const [, list = ""] = /invalid execArgv flags: (.*)/s.exec(String(error)) ?? [];
        const refused = list.split(", ");
        if (list === "") throw error;
        return constructed(process.execArgv.filter((flag) => !refused.includes(flag)));
      }
    },
  });
  return proxy;
}

function loadingFork([file, ...rest]: readonly unknown[], path: string): unknown[] {
  const [args, given] = Array.isArray(rest[0]) ? [rest[0], rest[1]] : [[], rest[1] ?? rest[0]];
  const env: NodeJS.ProcessEnv = { ...(Object(given).env ?? process.env) };
  const NODE_OPTIONS = withOption(env.NODE_OPTIONS, path);
  return [file, args, { ...Object(given), env: { ...env, NODE_OPTIONS } }];
}
