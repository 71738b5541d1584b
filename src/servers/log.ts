import { systemClock } from "../core/emulator/clock.ts";
import { visible } from "../core/general/visible.ts";
import { LOG_LEVELS, type LogFormat, type LogLevel } from "../options/option.ts";
import type { LoggedFacts } from "./forwarding-messages.ts";

const FIRST_SERVER_ERROR = 500;

/** The severity of an entry: the emulator failed, a request was refused, or neither. */
function levelOf({ status, refusedBy }: LoggedFacts): Exclude<LogLevel, "silent"> {
  // The service's documented 500 is a refusal: it names the check.
  const failed = refusedBy === "emulator" || refusedBy === "targetManager" || status === undefined;
  if (failed || (status >= FIRST_SERVER_ERROR && refusedBy === undefined)) return "error";
  return refusedBy === undefined ? "info" : "warn";
}

export interface LogTarget {
  readonly write: (line: string) => void;
  /** Default `json`. */
  readonly format?: LogFormat | undefined;
  /** Whether readable lines have colours. Default false. */
  readonly colours?: boolean | undefined;
}

/** Writes one line for each request of that level or a more severe one. */
export function requestLog(
  server: string,
  level: LogLevel,
  { write, format = "json", colours = false }: LogTarget,
): (entry: LoggedFacts) => void {
  return (entry) => {
    const own = levelOf(entry);
    if (LOG_LEVELS.indexOf(own) > LOG_LEVELS.indexOf(level)) return;
    write(`${format === "json" ? asJson(server, own, entry) : asText(own, entry, colours)}\n`);
  };
}

/** Writes one line for each warning about the servers themselves. */
export function warningLog(
  level: LogLevel,
  { write, format = "json" }: LogTarget,
): (message: string) => void {
  return (message) => {
    if (LOG_LEVELS.indexOf("warn") > LOG_LEVELS.indexOf(level)) return;
    const line = { time: systemClock.now(), level: "warn", message };
    write(`${format === "json" ? JSON.stringify(line) : `mock-cloud-reco: ${message}`}\n`);
  };
}

function asJson(server: string, level: LogLevel, { time, durationMs, ...rest }: LoggedFacts): string {
  return visible(
    JSON.stringify({
      time: new Date(time),
      level,
      server,
      ...rest,
      durationMs: Math.round(durationMs * 10) / 10,
    }),
  );
}

const DIM = 2;
const COLOUR = { info: 32, warn: 33, error: 31 } as const;
const LONGEST_METHOD = 7;

/** `10:42:00 POST    /targets 403 Fail  bodyGiven: send a body`. */
function asText(level: keyof typeof COLOUR, entry: LoggedFacts, colours: boolean): string {
  const { time, method, path, status, resultCode, refusedBy, fault, reason } = entry;
  const paint = (code: number, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const result = [status ?? "no response", resultCode].filter((part) => part !== undefined).join(" ");
  const cause = refusedBy ?? (fault === undefined ? undefined : `fault ${fault}`);
  const why = [cause, reason].filter((part) => part !== undefined).join(": ");
  return [
    paint(DIM, new Date(time).toISOString().slice(11, 19)),
    visible(method).padEnd(LONGEST_METHOD),
    visible(path),
    paint(COLOUR[level], visible(result)),
    ...(why === "" ? [] : [` ${visible(why)}`]),
  ].join(" ");
}
