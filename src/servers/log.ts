import type { JournalEntry } from "../emulator/journal.ts";
import { LOG_LEVELS, type LogLevel } from "../mock/option.ts";

const FIRST_SERVER_ERROR = 500;

/** The severity of an entry: the emulator failed, a request was refused, or neither. */
function levelOf({ status, refusedBy }: JournalEntry): Exclude<LogLevel, "silent"> {
  // The service's documented 500 is a refusal like any other: it names the check.
  const failed = refusedBy === "emulator" || refusedBy === "targetManager" || status === undefined;
  if (failed || (status >= FIRST_SERVER_ERROR && refusedBy === undefined)) return "error";
  return refusedBy === undefined ? "info" : "warn";
}

/** Writes one JSON line for each request of that level or a more severe one. */
export function requestLog(
  server: string,
  level: LogLevel,
  write: (line: string) => void,
): (entry: JournalEntry) => void {
  return (entry) => {
    const own = levelOf(entry);
    if (LOG_LEVELS.indexOf(own) > LOG_LEVELS.indexOf(level)) return;
    const { number: _number, considered: _considered, time, api: _api, durationMs, ...more } = entry;
    const {
      request: _request,
      response: _response,
      signature: _signature,
      otherTargets: _others,
      ...rest
    } = more;
    const line = { time, level: own, server, ...rest, durationMs: Math.round(durationMs * 10) / 10 };
    write(`${JSON.stringify(line)}\n`);
  };
}
