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

  /** nock asks several times for every request of the process, so that most are told from their text alone. */
  override test(text: string): boolean {
    const start = text.startsWith(this.origin) ? 0 : text.indexOf(" ") + 1;
    const end = start + this.origin.length;
    if (!text.startsWith(this.origin, start) || (end < text.length && text[end] !== "/")) return false;
    if (this.isServed()) return true;
    this.usersOwn ||= this.isUsers();
    return this.usersOwn;
  }

  override exec(text: string): RegExpExecArray | null {
    return this.test(text) ? super.exec(text) : null;
  }

  override toString(): string {
    return this.origin;
  }
}
