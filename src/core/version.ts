import { version } from "../../package.json";

export { version };

/**
 * A release by its date, `2026.11.21`, and `.1` and so on for more of one day, from npm's form of it, `2026.1121.0`.
 */
export function releaseName(npmVersion: string): string {
  const [year = "", monthAndDay = "", ofDay = "0"] = npmVersion.split(".");
  const [month, day] = [Math.floor(Number(monthAndDay) / 100), Number(monthAndDay) % 100];
  const date = [year, ...[month, day].map((part) => String(part).padStart(2, "0"))].join(".");
  return ofDay === "0" ? date : `${date}.${ofDay}`;
}

/** The release that runs. */
export const release = releaseName(version);
