import { parseEnv } from "node:util";
import type { Environment } from "../options/setting-names.ts";

/** Variables as `NAME=value` lines for shells and, where no value has quotes of several kinds, other readers of `.env` files. */
export const writeEnvLines = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${/[^\w.:/@%+=,-]/.test(value) ? inQuotes(value) : value}\n`)
    .join("");

function inQuotes(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  return /["$`\\]/.test(value) ? `'${value.replaceAll("'", "'\\''")}'` : `"${value}"`;
}

/** A value of several parts in single quotes with `\'` between them: shells join them, but `parseEnv` reads the first one only. */
const JOINED_LINE = /^(\w+)=((?:'[^'\n]*'|\\')+)$/gm;

/** Reads lines of {@link writeEnvLines}, or an `.env` file. */
export function readEnvLines(text: string): Environment {
  const joined = [...text.matchAll(JOINED_LINE)].map(([, name = "", value = ""]) => [
    name,
    value.replace(/'([^']*)'|\\(')/g, "$1$2"),
  ]);
  return { ...parseEnv(text), ...Object.fromEntries(joined) };
}
