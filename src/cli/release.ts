import { version } from "../../package.json";

export { version };

/**
 * Converts npm's version, such as `2026.1121.0`, to the release's name: its date, `2026.11.21`, followed by `.1` and so on
 * for further releases of that day.
 */
export function releaseName(npmVersion: string): string {
  const [year = "", monthAndDay = "", ofDay = "0"] = npmVersion.split(".");
  const [month, day] = [Math.floor(Number(monthAndDay) / 100), Number(monthAndDay) % 100];
  const date = [year, ...[month, day].map((part) => String(part).padStart(2, "0"))].join(".");
  return ofDay === "0" ? date : `${date}.${ofDay}`;
}

export const release = releaseName(version);
