import type { Statement } from 'better-sqlite3';
import type { Connection } from './connection.ts';

/** 2^19 entries of 16 bytes. */
const slots = 1 << 19;

/**
 * Which kinds of view a visitor has had on a name today. The table is the truth; in front of it stands a
 * direct-mapped memory of the last answers, which spares a busy visitor's views every look at the table.
 */
export class Seen {
  readonly #memory = new Uint32Array(slots * 4);
  readonly #halves = new BigInt64Array(1);
  readonly #halvesAsNumbers = new Uint32Array(this.#halves.buffer);
  readonly #insert: Statement<[number, bigint, number, number]>;
  readonly #find: Statement<[number, bigint, number], { kinds: number }>;
  readonly #update: Statement<[number, number, bigint, number]>;

  constructor(db: Connection) {
    this.#insert = db.prepare(
      'insert into seen (day, visitor, name, kinds) values (?, ?, ?, ?) on conflict do nothing',
    );
    this.#find = db.prepare('select kinds from seen where day = ? and visitor = ? and name = ?');
    this.#update = db.prepare('update seen set kinds = ? where day = ? and visitor = ? and name = ?');
  }

  /** Records the kind and answers the kinds of before (bits; 0: never seen). */
  add(day: number, visitor: bigint, name: number, kind: number): number {
    this.#halves[0] = visitor;
    const low = this.#halvesAsNumbers[0] as number;
    const high = this.#halvesAsNumbers[1] as number;
    const slot = ((low ^ Math.imul(name, 0x9e3779b1) ^ Math.imul(day, 0x85ebca6b)) & (slots - 1)) * 4;
    const memory = this.#memory;
    // The last word holds the day in its upper 30 bits and the kinds in the two below.
    const tag = memory[slot + 3] as number;
    const known =
      tag >>> 2 === day && memory[slot] === low && memory[slot + 1] === high && memory[slot + 2] === name;
    if (known && (tag & kind) !== 0) return tag & 3;
    // Also asked when only the kind is new: another process may have recorded it.
    const before = this.#store(day, visitor, name, kind);
    memory[slot] = low;
    memory[slot + 1] = high;
    memory[slot + 2] = name;
    memory[slot + 3] = (day << 2) | before | kind;
    return before;
  }

  #store(day: number, visitor: bigint, name: number, kind: number): number {
    if (this.#insert.run(day, visitor, name, kind).changes === 1) return 0;
    const before = this.#find.get(day, visitor, name)?.kinds ?? 0;
    if ((before & kind) === 0) this.#update.run(before | kind, day, visitor, name);
    return before;
  }

  /** After a rollback the memory knows of rows that are not there. */
  forget(): void {
    this.#memory.fill(0);
  }
}
