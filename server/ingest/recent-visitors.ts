import type { CountedKind } from '../counting/view.ts';
import { recentMs } from '../store/nodes.ts';

/** Words of a slot: the visitor's two halves, the project, and the seconds of the last human and AI view. */
const words = 5;
const firstSlots = 1 << 12;
/** 20 MB: some 500,000 visitors within five minutes; beyond that the count is too small. */
const maxSlots = 1 << 20;
/** A visitor is in one of this many slots, counted from that of its hash. */
const reach = 32;

interface Visitors {
  human: number;
  ai: number;
  total: number;
}

/**
 * Who was counted in the last five minutes, where one process counts. A hash table in one typed array, as this is on every hit's way:
 * a fraction of a microsecond and nothing for the garbage collector. What is too old is a free slot; a full
 * neighbourhood doubles the table.
 */
export class RecentVisitors {
  readonly #now: () => number;
  /** Numbers from 1: 0 marks a slot that was never used. */
  readonly #projects = new Map<string, number>();
  readonly #bits = new BigInt64Array(1);
  readonly #halves = new Uint32Array(this.#bits.buffer);
  #slots = firstSlots;
  #table = new Uint32Array(firstSlots * words);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `at`: milliseconds since 1970. */
  add(projectId: string, visitor: bigint, kind: CountedKind, at: number): void {
    const now = this.#now();
    if (at <= now - recentMs) return;
    this.#bits[0] = visitor;
    const low = this.#halves[0] as number;
    const high = this.#halves[1] as number;
    const project = this.#numberOf(projectId);
    const start = startOf(now);
    let slot = this.#find(low, high, project, start);
    while (slot < 0 && this.#slots < maxSlots) {
      this.#grow(start);
      slot = this.#find(low, high, project, start);
    }
    if (slot < 0) return;
    const table = this.#table;
    if (table[slot] !== low || table[slot + 1] !== high || table[slot + 2] !== project) {
      table[slot] = low;
      table[slot + 1] = high;
      table[slot + 2] = project;
      table[slot + 3] = 0;
      table[slot + 4] = 0;
    }
    const word = slot + (kind === 'human' ? 3 : 4);
    table[word] = Math.max(table[word] as number, Math.floor(at / 1000));
  }

  count(projectId: string): Visitors {
    const visitors = { human: 0, ai: 0, total: 0 };
    const project = this.#projects.get(projectId);
    if (project === undefined) return visitors;
    const start = startOf(this.#now());
    const table = this.#table;
    for (let slot = 0; slot < table.length; slot += words) {
      if (table[slot + 2] !== project || !isAlive(table, slot, start)) continue;
      visitors.total++;
      if ((table[slot + 3] as number) > start) visitors.human++;
      if ((table[slot + 4] as number) > start) visitors.ai++;
    }
    return visitors;
  }

  /** The visitor's slot, or else a free one; -1: the neighbourhood is full. */
  #find(low: number, high: number, project: number, start: number): number {
    const table = this.#table;
    let free = -1;
    // The visitor is a hash already.
    let index = (low ^ Math.imul(project, 0x9e3779b1)) & (this.#slots - 1);
    for (let i = 0; i < reach; i++) {
      const slot = index * words;
      if (table[slot] === low && table[slot + 1] === high && table[slot + 2] === project) return slot;
      if (free < 0 && !isAlive(table, slot, start)) free = slot;
      if (table[slot + 2] === 0) break;
      index = (index + 1) & (this.#slots - 1);
    }
    return free;
  }

  /** Doubles the table, and again if some neighbourhood is still too full. */
  #grow(start: number): void {
    const old = this.#table;
    let fits = false;
    while (!fits && this.#slots < maxSlots) {
      this.#slots *= 2;
      this.#table = new Uint32Array(this.#slots * words);
      fits = this.#take(old, start);
    }
  }

  /** Answers false when a visitor found no room. */
  #take(old: Uint32Array, start: number): boolean {
    let fits = true;
    for (let slot = 0; slot < old.length; slot += words) {
      if (!isAlive(old, slot, start)) continue;
      const to = this.#find(old[slot] as number, old[slot + 1] as number, old[slot + 2] as number, start);
      if (to < 0) fits = false;
      else this.#table.set(old.subarray(slot, slot + words), to);
    }
    return fits;
  }

  #numberOf(projectId: string): number {
    const known = this.#projects.get(projectId);
    if (known !== undefined) return known;
    const number = this.#projects.size + 1;
    this.#projects.set(projectId, number);
    return number;
  }
}

/** The last second that is too long ago. */
function startOf(now: number): number {
  return Math.floor((now - recentMs) / 1000);
}

function isAlive(table: Uint32Array, slot: number, start: number): boolean {
  return (table[slot + 3] as number) > start || (table[slot + 4] as number) > start;
}
