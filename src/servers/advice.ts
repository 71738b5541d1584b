import type { Advice } from "../core/apis/services.ts";
import { settingsOf } from "../options/command-settings.ts";
import { ROLES } from "../options/option.ts";
import type { Command } from "../options/setting-names.ts";

/** What started the servers. */
export type Starter = Command | "startServers";

/** Names an option as its user can set it, for sentences: `--log-level or LOG_LEVEL`. */
export function namesOf(starter: Starter, option: string): string {
  if (starter === "startServers") return `the option ${option}`;
  for (const command of [starter, ...ROLES]) {
    const found = settingsOf(command).find((each) => each.option === option);
    if (found !== undefined)
      return `--${found.flag.name} or ${found.variables[0]}${command === starter ? "" : ` of ${command}`}`;
  }
  throw new TypeError(`no command reads ${option}`);
}

/** Advice to those who started the servers. */
export function adviceOf(starter: Starter): Advice {
  const set = (option: string, value: string) =>
    `set ${namesOf(starter, option)} to ${starter === "startServers" ? JSON.stringify(value) : value}`;
  return {
    // The page of a manager alone cannot know what its query servers read.
    photographs:
      starter === "target-manager"
        ? "use the page of: mock-cloud-reco serve --query-image-matcher features"
        : set("queryMatcher", "features"),
    identity: set("queryContentEncoding", "identity"),
    secureContext: `${starter === "startServers" ? set("tls", "generated") : "start the servers with --tls-generate"} and open the https address`,
  };
}
