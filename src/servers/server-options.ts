import type { Advice } from "../core/apis/services.ts";
import { delayWhileConnected } from "../core/emulator/clock.ts";
import { DEFAULT_URLS } from "../core/emulator/profiles.ts";
import type { TlsFiles } from "../core/http/http-server-options.ts";
import { optionsCheck } from "../core/schema/zod/problems.ts";
import { MATCHERS, type MatcherName, type RaterName, raterNamed } from "../options/named.ts";
import { defaultsOf, type LogLevel, schemasOf } from "../options/option.ts";
import { OPTIONS } from "../options/option-table.ts";
import {
  type CommonOptions,
  type ResolvedOptions,
  refuseMisplaced,
  resolveChecked,
} from "../options/options.ts";

/** Options of servers: as in process, but with matchers and raters by name. */
export interface ServerOptions extends CommonOptions {
  /** Decides which targets a query finds. Default `structural_similarity`. */
  readonly queryMatcher?: MatcherName;
  /** Decides which targets are duplicates. Default `structural_similarity`. */
  readonly duplicatesMatcher?: MatcherName;
  /** Rates added images. Default `brisque`. */
  readonly targetRater?: RaterName;
  /** Base URL of report downloads. Default: the target API server's own. */
  readonly serviceBaseUrl?: string;
}

/** Options of {@link startServers}; every field is optional. */
export interface StartServersOptions extends ServerOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Addresses of servers that listen on one of their own, so that several can have the same port. Default: `host`. */
  readonly hosts?: {
    /** Address of the target API, OAuth 2.0 and Model Targets. */
    readonly target?: string;
    /** Address of the query API. */
    readonly query?: string;
    /** Address of the target manager. */
    readonly manager?: string;
  };
  /** Ports. Default 0: the system chooses. */
  readonly ports?: {
    /** Port of the target API, OAuth 2.0 and Model Targets. */
    readonly target?: number;
    /** Port of the query API. */
    readonly query?: number;
    /** Port of the target manager. */
    readonly manager?: number;
  };
  /** Path of a file with initial databases, targets and credentials. The servers listen once all of them are added. */
  readonly seedFile?: string;
  /**
   * Path of a file that keeps the state: restored at the start, written soon after each change and at the stop. If it
   * exists, `seedFile` is not read, and a line of the log says so. Default: the state is lost at the stop.
   */
  readonly stateFile?: string;
  /** Which requests write a JSON line to standard error. Default `silent`. */
  readonly logLevel?: LogLevel;
  /** `generated` for a certificate of an authority of its own, or yours as PEM text. Default: plain HTTP. */
  readonly tls?: "generated" | TlsFiles;
  /** Pages of this origin may use the target API and the query API; `*`: any. */
  readonly corsOrigin?: string;
  /** Pages of this origin may use the target manager; `*`: any. */
  readonly managerCorsOrigin?: string;
  /** Host names under which the target manager answers, besides IP addresses and names of private networks; `.example` allows all subdomains. */
  readonly allowedHosts?: readonly string[];
  /** Whether the target manager serves its page to browsers. Default true. */
  readonly ui?: boolean;
}

const SERVER_DEFAULTS = defaultsOf(OPTIONS.servers);
const START_DEFAULTS = defaultsOf(OPTIONS.startServers);

const checkOptions = optionsCheck<StartServersOptions>(
  schemasOf({ ...OPTIONS.common, ...OPTIONS.servers, ...OPTIONS.startServers }),
);

/** With the defaults of options that are not the emulator's. */
export type CheckedOptions = StartServersOptions &
  Required<Pick<StartServersOptions, keyof typeof START_DEFAULTS>>;

/** Throws an InvalidOptionError, also for options that only work in process. */
export function checkServerOptions(options: StartServersOptions): StartServersOptions {
  refuseMisplaced("servers", options);
  return checkOptions(options);
}

/** Adds the defaults of its own options. Throws as {@link checkServerOptions} does. */
export const checkStartServersOptions = (options: StartServersOptions): CheckedOptions => ({
  ...START_DEFAULTS,
  ...checkServerOptions(options),
});

/**
 * @param options - checked already.
 * @param advice - to the user, who started the servers.
 * @param ownUrl - the target API server's URL. Default: the real service's.
 * @throws InvalidOptionError or MissingSchemeError.
 */
export function resolveServerOptions(
  options: ServerOptions,
  advice: Advice,
  ownUrl: string = DEFAULT_URLS.target,
): ResolvedOptions {
  const { queryMatcher, duplicatesMatcher, targetRater, serviceBaseUrl, ...same } = {
    ...SERVER_DEFAULTS,
    ...options,
  };
  const resolved = resolveChecked({
    ...same,
    delay: delayWhileConnected,
    targetUrl: serviceBaseUrl ?? ownUrl,
    queryMatcher: MATCHERS[queryMatcher],
    duplicatesMatcher: MATCHERS[duplicatesMatcher],
    targetRater: raterNamed(targetRater, options.seed),
  });
  return { ...resolved, answerOptions: { ...resolved.answerOptions, advice } };
}
