import { randomInt } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import {
  toNumbers,
  Visitor,
  VisitorKeys,
  VisitorTable,
  visitorBytes,
} from '../../../counts/visitors/visitor-keys.ts';
import type { Connection } from '../../connection.ts';

/** Visitor keys in `newly_seen` after which they are sorted into `seen`, so that many go to one page. */
const maxUnsorted = 1 << 16;
/** Transactions over which the sorting is spread, so that none takes long. */
const sortingSteps = 64;
/** Transactions for which nothing is left unsorted after another process has counted, as it would have to do it. */
const sharedSteps = 16;
/** Memory for visitors and their visitor keys; those that are not sorted in may need more. */
const maxBytes = 8 * 2 ** 20;

/** Visitors on their way into `seen`, in its order, and the rows of `newly_seen` that are not needed after it. */
interface Sorting {
  visitors: Visitor[];
  done: number;
  through: number;
  visitorKeys: number;
}

/** Of a day, one list for the other. */
interface NewVisitorKeys {
  readonly day: number;
  readonly visitors: Visitor[];
  readonly visitorKeys: number[];
}

/**
 * Today's visitor keys. Recent visitors are kept in memory. A transaction appends its new visitor keys to `newly_seen`: that
 * is a page or two, where the visitors' own rows would be hundreds all over the file. When there are many, the visitors
 * are written to `seen` in its order. The two tables together are the truth.
 *
 * Used inside transactions that start with `begin` and end with `save`. Another process may count on the same database:
 * a process that was not the last one to do so sorts everything in, starts with an empty memory, and for a while leaves
 * nothing unsorted to the other.
 */
export class Seen {
  #holder = newHolder();
  #visitors = new VisitorTable();
  #visitorKeys = new VisitorKeys();
  #sweepAbove = maxBytes;
  /** Of this transaction, by day. */
  readonly #new = new Map<number, NewVisitorKeys>();
  #lastNew: NewVisitorKeys | undefined;
  #unsorted: Visitor[] = [];
  #unsortedVisitorKeys = 0;
  #lastRow = 0;
  #sorting: Sorting | undefined;
  #sharedFor = 0;
  /** Days, and whether `seen` may hold visitors of them who are not in memory. */
  readonly #isStored = new Map<number, boolean>();
  readonly #readHolder: Statement<[], number>;
  readonly #setHolder: Statement<[number]>;
  readonly #findOpen: Statement<[number], 1>;
  readonly #findAny: Statement<[number], 1>;
  readonly #find: Statement<[number, bigint], Buffer>;
  readonly #write: Statement<[number, bigint, Uint8Array]>;
  readonly #append: Statement<[number, number, Uint8Array]>;
  readonly #appended: Statement<[], { day: number; bytes: Buffer }>;
  readonly #deleteThrough: Statement<[number]>;

  constructor(db: Connection) {
    this.#readHolder = db.prepare<[], number>('select holder from seen_holder').pluck();
    this.#setHolder = db.prepare('update seen_holder set holder = ?');
    this.#findOpen = db.prepare<[number], 1>('select 1 from days where id = ? and salt is not null').pluck();
    this.#findAny = db.prepare<[number], 1>('select 1 from seen where day = ? limit 1').pluck();
    this.#find = db
      .prepare<[number, bigint], Buffer>('select sightings from seen where day = ? and visitor = ?')
      .pluck();
    this.#write = db.prepare(
      `insert into seen (day, visitor, sightings) values (?, ?, ?)
       on conflict do update set sightings = excluded.sightings`,
    );
    this.#append = db.prepare('insert into newly_seen (id, day, visitors_and_sightings) values (?, ?, ?)');
    this.#appended = db.prepare('select day, visitors_and_sightings as bytes from newly_seen order by id');
    this.#deleteThrough = db.prepare('delete from newly_seen where id <= ?');
  }

  /**
   * Sorts in what another process, or this one before it failed, has left. Answers whether there may be such: names may be
   * others too then.
   */
  begin(): boolean {
    if (this.#readHolder.get() === this.#holder) return false;
    this.#clear();
    const isOpen = this.#openDays();
    for (const row of this.#appended.all()) if (isOpen(row)) this.#replay(row.day, row.bytes);
    this.#deleteThrough.run(Number.MAX_SAFE_INTEGER);
    this.#sortAll();
    this.#setHolder.run(this.#holder);
    this.#sharedFor = sharedSteps;
    return true;
  }

  visitor(day: number, id: bigint): Visitor {
    let visitor = this.#visitors.find(day, id);
    if (!visitor) {
      visitor = new Visitor(day, id);
      this.#visitors.add(visitor);
      const known = this.#mayHave(day) ? this.#find.get(day, id) : undefined;
      if (known) this.#visitorKeys.fill(visitor, toNumbers(known));
    }
    return visitor;
  }

  /** Nearly all visitors of a quiet day are new, and all of them are in memory. */
  #mayHave(day: number): boolean {
    const known = this.#isStored.get(day);
    if (known !== undefined) return known;
    const isStored = this.#findAny.get(day) === 1;
    this.#isStored.set(day, isStored);
    return isStored;
  }

  /** Records the kind (1 human, 2 ai) and answers the kinds of before (3: both, 0: never seen). */
  add(visitor: Visitor, name: number, kind: number): number {
    const before = this.#visitorKeys.add(visitor, name, kind);
    if ((before & kind) !== 0) return before;
    const { visitors, visitorKeys } = this.#newOf(visitor.day);
    visitors.push(visitor);
    visitorKeys.push(name * 4 + kind);
    this.#markUnsorted(visitor);
    return before;
  }

  /** Writes what was added; and visitors into `seen`, when it is time. */
  save(): void {
    let added = 0;
    for (const { visitorKeys } of this.#new.values()) added += visitorKeys.length;
    if (this.#sharedFor > 0) {
      this.#sharedFor--;
      this.#sortAll();
    } else if (added > 0) this.#appendNew();
    if (this.#bytes() > this.#sweepAbove) this.#sweep();
    // Who is unsorted stays in memory, so that a full one is a reason too.
    if (!this.#sorting && (this.#unsortedVisitorKeys >= maxUnsorted || this.#bytes() > maxBytes)) {
      this.#startSorting();
    }
    if (this.#sorting) this.#sortSome(this.#sorting, added);
  }

  /** Between transactions, when days were sealed: memory is cleared of their visitors as well. */
  forgetSealed(): void {
    const isOpen = this.#openDays();
    this.#keepOnly(isOpen);
    this.#unsorted = this.#unsorted.filter(isOpen);
    if (!this.#sorting) return;
    this.#sorting.visitors = this.#sorting.visitors.slice(this.#sorting.done).filter(isOpen);
    this.#sorting.done = 0;
  }

  /** After a rollback, when the memory knows of rows that are not there. */
  forget(): void {
    this.#clear();
  }

  /** Under another number, so that what anybody remembers of before is of no use. */
  #clear(): void {
    this.#holder = newHolder();
    this.#visitors = new VisitorTable();
    this.#visitorKeys = new VisitorKeys();
    this.#forgetNew();
    this.#unsorted = [];
    this.#unsortedVisitorKeys = 0;
    this.#sorting = undefined;
    this.#lastRow = 0;
    this.#isStored.clear();
  }

  #replay(day: number, bytes: Buffer): void {
    const count = bytes.length / 12;
    for (let i = 0; i < count; i++) {
      const visitor = this.visitor(day, bytes.readBigInt64LE(i * 8));
      const visitorKey = bytes.readUInt32LE(count * 8 + i * 4);
      this.#visitorKeys.add(visitor, Math.floor(visitorKey / 4), visitorKey & 3);
      this.#markUnsorted(visitor);
    }
  }

  #markUnsorted(visitor: Visitor): void {
    if (visitor.isUnsorted) return;
    visitor.isUnsorted = true;
    this.#unsorted.push(visitor);
  }

  /** Views of a day mostly come one after the other. */
  #newOf(day: number): NewVisitorKeys {
    if (this.#lastNew?.day === day) return this.#lastNew;
    const ofDay = this.#new.get(day) ?? { day, visitors: [], visitorKeys: [] };
    this.#new.set(day, ofDay);
    this.#lastNew = ofDay;
    return ofDay;
  }

  #forgetNew(): void {
    this.#new.clear();
    this.#lastNew = undefined;
  }

  /** A row for each day. */
  #appendNew(): void {
    for (const ofDay of this.#new.values()) {
      // Counted here, as SQLite gives numbers again when the last rows are deleted with a sealed day.
      this.#append.run(++this.#lastRow, ofDay.day, bytesOf(packed(ofDay)));
      this.#unsortedVisitorKeys += ofDay.visitorKeys.length;
    }
    this.#forgetNew();
  }

  /** At once, and with nothing in `newly_seen`. */
  #sortAll(): void {
    this.#writeAll(inOrder(this.#unsorted));
    this.#unsorted = [];
    this.#forgetNew();
  }

  #startSorting(): void {
    this.#sorting = {
      visitors: inOrder(this.#unsorted),
      done: 0,
      through: this.#lastRow,
      visitorKeys: this.#unsortedVisitorKeys,
    };
    this.#unsorted = [];
  }

  /** Sorts more in than the transaction added, so that it comes to an end. */
  #sortSome(sorting: Sorting, added: number): void {
    const { visitors, done } = sorting;
    sorting.done += Math.max(added, Math.ceil(visitors.length / sortingSteps));
    this.#writeAll(visitors.slice(done, sorting.done));
    if (sorting.done < visitors.length) return;
    this.#deleteThrough.run(sorting.through);
    this.#unsortedVisitorKeys -= sorting.visitorKeys;
    this.#sorting = undefined;
    if (this.#bytes() > maxBytes) this.#sweep();
  }

  /** Leaves out days that are being sealed: what is deleted must not come back. */
  #writeAll(visitors: Visitor[]): void {
    const isOpen = this.#openDays();
    for (const visitor of visitors) {
      if (isOpen(visitor)) {
        this.#write.run(visitor.day, visitor.id, bytesOf(this.#visitorKeys.list(visitor)));
      }
      visitor.isUnsorted = false;
    }
  }

  /** Drops visitors whose rows are complete; they are read again when needed. */
  #sweep(): void {
    this.#keepOnly((visitor) => visitor.isUnsorted);
    this.#sweepAbove = Math.max(maxBytes, this.#bytes() * 1.5);
  }

  #keepOnly(isKept: (visitor: Visitor) => boolean): void {
    this.#isStored.clear();
    this.#visitors.keepOnly((visitor) => {
      const stays = isKept(visitor);
      if (!stays) this.#visitorKeys.drop(visitor);
      return stays;
    });
  }

  #bytes(): number {
    return this.#visitors.size * visitorBytes + this.#visitorKeys.bytes;
  }

  /** Whether the visitor's day is open; reads each day once. */
  #openDays(): (visitor: Pick<Visitor, 'day'>) => boolean {
    const open = new Map<number, boolean>();
    return ({ day }) => {
      const isOpen = open.get(day) ?? this.#findOpen.get(day) === 1;
      open.set(day, isOpen);
      return isOpen;
    };
  }
}

/** The visitors, eight bytes each, and behind them what they were counted under. */
function packed({ visitors, visitorKeys }: NewVisitorKeys): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(visitors.length * 3);
  words.set(visitorKeys, visitors.length * 2);
  for (let i = 0; i < visitors.length; i++) {
    const { low, high } = visitors[i] as Visitor;
    words[i * 2] = low;
    words[i * 2 + 1] = high;
  }
  return words;
}

function newHolder(): number {
  return randomInt(1, 2 ** 47);
}

/** Every machine that Node runs on has the lowest byte first. */
function bytesOf({ buffer }: BigInt64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer);
}

/** By day and visitor, as `seen` is; numbers are sorted faster than objects. */
function inOrder(visitors: Visitor[]): Visitor[] {
  const days = Map.groupBy(visitors, (visitor) => visitor.day);
  return [...days]
    .sort(([a], [b]) => a - b)
    .flatMap(([, ofDay]) => {
      const byId = new Map(ofDay.map((visitor) => [visitor.id, visitor]));
      return Array.from(BigInt64Array.from(byId.keys()).sort(), (id) => byId.get(id) as Visitor);
    });
}
