/**
 * Says in one line that tests are skipped for want of a program.
 *
 * @throws Error in CI, where nothing may be skipped (`FAIL_ON_SKIPPED`).
 */
export function sayWhatIsSkipped(message: string): void {
  if (process.env.FAIL_ON_SKIPPED !== undefined) throw new Error(message);
  console.log(message);
}
