/** What changed in one database and when, counted and not timed. */
export class ChangeLog {
  private readonly changedAt = new Map<string, number>();
  private latest: number;

  /** @param born - a number that no earlier database had, nor any change in it. */
  constructor(
    readonly born: number,
    private readonly next: () => number,
  ) {
    this.latest = born;
  }

  /** The database itself, or the target with that id, changed. */
  note(targetId?: string): void {
    this.latest = this.next();
    if (targetId !== undefined) this.changedAt.set(targetId, this.latest);
  }

  /** Names the present state of this very database, of which a namesake may have been deleted before. */
  get tag(): string {
    return `${this.born}.${this.latest}`;
  }

  /** Which targets changed after the state that the tag names; undefined when it names none of this database. */
  since(tag: string): ((targetId: string) => boolean) | undefined {
    const found = /^(\d+)\.(\d+)$/.exec(tag);
    if (found === null || Number(found[1]) !== this.born) return undefined;
    const seen = Number(found[2]);
    return (targetId) => (this.changedAt.get(targetId) ?? 0) > seen;
  }
}
