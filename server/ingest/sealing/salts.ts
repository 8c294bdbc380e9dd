import type { Day } from '../../counting/calendar.ts';
import type { SaltCipher } from '../../counting/visitor/salt.ts';
import { Networks } from '../../counting/visitor/visitor.ts';
import { overloaded } from '../../errors.ts';
import { rulesVersion } from '../../identity/rule-versions.ts';
import type { Log } from '../../log.ts';
import { program } from '../../process/program.ts';
import type { DayOpening, OpenDay } from '../../store/counts/counting-store.ts';
import type { Store } from '../../store/store.ts';
import { mendSalts } from './salt-mending.ts';

export interface Salted {
  day: Day;
  salt: string;
  networks: Networks;
}

interface Parts {
  store: Pick<Store, 'openDays' | 'listSalts' | 'replaceSalts'>;
  saltCipher: SaltCipher;
  log: Log;
}

/** Others on the same database have another key: with each of them it is lost once. */
const maxAttempts = 5;

/** The salts of active days, kept in memory from their first use until the day is sealed. */
export class Salts {
  readonly #parts: Parts;
  readonly #days = new Map<string, Promise<Salted | null> | Salted>();
  readonly #openTogether: (opening: DayOpening) => Promise<OpenDay | null>;
  /** Of the rules that were noted for these days. */
  #rules = rulesVersion;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#openTogether = together((openings) => parts.store.openDays(openings));
  }

  /** Null: the project is gone. At once where it is known, as nearly always. */
  get(projectId: string, day: Day): Promise<Salted | null> | Salted {
    if (this.#rules !== rulesVersion) this.#forgetNoted();
    const key = `${projectId} ${day}`;
    const known = this.#days.get(key);
    if (known) return known;
    const opening = this.#open(projectId, day, key);
    this.#days.set(key, opening);
    return opening;
  }

  async #open(projectId: string, day: Day, key: string): Promise<Salted | null> {
    let salted: Salted | null = null;
    const rules = rulesVersion;
    try {
      salted = await this.#find(projectId, day);
    } finally {
      this.#days.delete(key);
    }
    if (salted && rules === rulesVersion) this.#days.set(key, salted);
    return salted;
  }

  async #find(projectId: string, asked: Day): Promise<Salted | null> {
    const { saltCipher } = this.#parts;
    let day = asked;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const place = { projectId, day };
      // The rules are noted before the first view of the day is counted by this process.
      const opened = await this.#openTogether({
        ...place,
        salt: saltCipher.make(place),
        rules: rulesVersion,
      });
      if (!opened) return null;
      const salt = opened.salt && saltCipher.decrypt(place, opened.salt);
      if (salt) return { day, salt, networks: new Networks(salt) };
      if (opened.salt) await mendSalts(this.#parts);
      if (opened.day > asked + 1) throw sealedAhead();
      day = opened.day;
    }
    throw new Error(`The salt of day ${day} of project ${projectId} changes again and again.`);
  }

  /** Other rules are in use: each day is opened anew, and they are noted for it. */
  #forgetNoted(): void {
    this.#rules = rulesVersion;
    this.#days.clear();
  }

  /** Forgets the project's days up to and including this one; all of them where none is given. */
  forget(projectId: string, through = Number.POSITIVE_INFINITY): void {
    for (const [key, salted] of this.#days) {
      const [id, day] = key.split(' ');
      if (id === projectId && !(salted instanceof Promise) && Number(day) <= through) this.#days.delete(key);
    }
  }
}

/** Days of one transaction: more would delay hits. */
const maxTogether = 256;

/** At midnight many days are opened at once: those that come while a transaction is under way are the next one. */
function together<Item, Result>(run: (items: Item[]) => Promise<Result[]>): (item: Item) => Promise<Result> {
  let waiting: { item: Item; settle: PromiseWithResolvers<Result> }[] = [];
  let isRunning = false;
  const runAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxTogether);
      waiting = waiting.slice(maxTogether);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [i, { settle }] of batch.entries()) settle.resolve(results[i] as Result);
      } catch (error) {
        for (const { settle } of batch) settle.reject(error);
      }
    }
    isRunning = false;
  };
  return (item) => {
    const settle = Promise.withResolvers<Result>();
    waiting.push({ item, settle });
    // The requests of this turn of the event loop come along with the first.
    if (!isRunning) setImmediate(runAll);
    isRunning = true;
    return settle.promise;
  };
}

/** A time zone takes the calendar back by a day, but not by more. */
function sealedAhead(): Error {
  return overloaded(
    `The clock of the server was ahead, so later days of this project are closed already. The hit was not stored. Correct the clock, or run "${program} check --repair".`,
    60,
  );
}
