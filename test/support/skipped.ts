/**
 * Prints one line when tests are skipped because a program is missing.
 *
 * @throws Error in CI, where nothing may be skipped (`FAIL_ON_SKIPPED`).
 */
export function sayWhatIsSkipped(message: string): void {
  if (process.env.FAIL_ON_SKIPPED !== undefined) throw new Error(message);
  console.log(message);
}
