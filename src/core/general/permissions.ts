/** Node was started without the right to something that is needed. */
export class NotPermittedError extends Error {
  override readonly name = "NotPermittedError";
  readonly code = "ERR_ACCESS_DENIED";
}

const FLAGS = { net: "--allow-net", addon: "--allow-addons" } as const;

/** Whether Node's permissions refuse it. Versions without the flag say that they refuse it too, but do not. */
export function isRefusedByNode(what: keyof typeof FLAGS): boolean {
  // Only present if Node was started with permissions.
  const permission: NodeJS.Process["permission"] | undefined = process.permission;
  return permission?.has(what) === false && process.allowedNodeEnvironmentFlags.has(FLAGS[what]);
}

/**
 * Checks what Node would throw where nothing can catch it.
 *
 * @param failed - what fails without the network, for the error.
 * @param otherwise - what else the user can do, such as `, or …`.
 * @throws NotPermittedError if Node's permissions refuse the network.
 */
export function requireNetwork(failed: string, otherwise = ""): void {
  if (!isRefusedByNode("net")) return;
  const advice = `start Node with --allow-net${otherwise}`;
  throw new NotPermittedError(`${failed}: Node's permissions refuse the network; ${advice}`);
}
