/**
 * A base path for nock that lets go of its origin. nock keeps the entry of a host for good once a scope was registered, and
 * fails every request to it when the scope's interceptors are gone. This pattern is the key of our entry, and stops matching.
 *
 * It is written as nock writes a scope's own origin, so that a user's scopes for the same host share the entry.
 */
export class OriginPattern extends RegExp {
  private usersOwn = false;

  /**
   * @param origin - `https://host:443`.
   * @param isServed - whether a running mock serves the origin now.
   * @param isUsers - whether the user has interceptors of their own for it. Once that was seen, the host stays theirs.
   */
  constructor(
    private readonly origin: string,
    private readonly isServed: () => boolean,
    private readonly isUsers: () => boolean,
  ) {
    super(`^(?:[^ ]+ )?${origin.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?:/|$)`);
  }

  override exec(text: string): RegExpExecArray | null {
    const match = super.exec(text);
    if (match === null || this.isServed()) return match;
    this.usersOwn ||= this.isUsers();
    return this.usersOwn ? match : null;
  }

  override toString(): string {
    return this.origin;
  }
}
