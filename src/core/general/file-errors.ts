import { codeOf, messageOf } from "./text.ts";

const MEANINGS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder; name a file",
  ENOTDIR: "a part of its path is a file, not a folder",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "its name is too long",
  EROFS: "its file system is read-only",
  ENOSPC: "no space is left for it",
};

function inWords(error: unknown, missing: string, refused: string): string {
  const code = String(codeOf(error));
  const meanings = { ...MEANINGS, ENOENT: missing, EACCES: refused, EPERM: refused };
  const meaning: string | undefined = Object.entries(meanings).find(([known]) => known === code)?.[1];
  return meaning === undefined ? messageOf(error) : `${meaning} (${code})`;
}

/** Why a file cannot be read; an error that is not of the file system speaks for itself. */
export const whyUnread = (error: unknown): string =>
  inWords(error, "there is no such file", "this user may not read it");

/** Why a program cannot be started. */
export const whyNotStarted = (error: unknown): string =>
  inWords(error, "there is no such program; check its name and PATH", "it is not executable");

/** Why a file cannot be written. */
export const whyUnwritten = (error: unknown): string =>
  inWords(error, "its folder does not exist", "this user may not write it");
