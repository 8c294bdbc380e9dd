import type { KindBit } from '../../../../counting/sum.ts';
import { Sightings } from '../../../counts/visitors/sightings.ts';
import { Visitor } from '../../../counts/visitors/visitor.ts';
import { VisitorTable, visitorBytes } from '../../../counts/visitors/visitor-table.ts';

/** About, as is how much they take. */
const maxBytes = 16 * 2 ** 20;

/**
 * What the database keeps for good of what visitors were seen on, so that no batch tells it of that again, which is half of
 * what a batch has. It stays true: a sighting ends with its name or its day, and no number of either is used again.
 */
export class KnownSightings {
  #visitors = new VisitorTable();
  #sightings = new Sightings();
  #server: string | undefined;

  /** Which start of a server has all of it. */
  get server(): string | undefined {
    return this.#server;
  }

  /** Nothing is known of another one, which may not have all that one before it acknowledged. */
  moveTo(server: string): void {
    if (server === this.#server) return;
    this.#forget();
    this.#server = server;
  }

  /** Undefined: nothing is known of it. @param day the number of its row */
  find(day: number, visitor: bigint): Visitor | undefined {
    return this.#visitors.find(day, visitor);
  }

  has(visitor: Visitor, name: number, kind: KindBit): boolean {
    return (this.#sightings.kindsOf(visitor, name) & kind) !== 0;
  }

  /** For `add`. */
  visitor(day: number, id: bigint): Visitor {
    const known = this.find(day, id);
    if (known) return known;
    const visitor = new Visitor(day, id);
    this.#visitors.add(visitor);
    return visitor;
  }

  add(visitor: Visitor, name: number, kind: KindBit): void {
    this.#sightings.add(visitor, name, kind);
  }

  /** Those of late are soon there again. */
  keepInBounds(): void {
    if (this.#visitors.size * visitorBytes + this.#sightings.bytes > maxBytes) this.#forget();
  }

  #forget(): void {
    this.#visitors = new VisitorTable();
    this.#sightings = new Sightings();
  }
}
