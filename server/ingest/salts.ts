import type { Day } from '../counting/calendar.ts';
import type { OpenDay } from '../store/counting-store.ts';
import type { Store } from '../store/store.ts';

export interface Salted {
  day: Day;
  salt: string;
}

/** The salts of open days, kept in memory from their first use until the day is sealed. */
export class Salts {
  readonly #store: Pick<Store, 'openDay'>;
  readonly #days = new Map<string, Promise<Salted | null> | Salted>();

  constructor(store: Pick<Store, 'openDay'>) {
    this.#store = store;
  }

  /** Null: the project is gone. At once where it is known, as nearly always. */
  get(projectId: string, day: Day): Promise<Salted | null> | Salted {
    const key = `${projectId} ${day}`;
    const known = this.#days.get(key);
    if (known) return known;
    const opening = this.#open(projectId, day, key);
    this.#days.set(key, opening);
    return opening;
  }

  async #open(projectId: string, day: Day, key: string): Promise<Salted | null> {
    let opened: OpenDay | null = null;
    try {
      opened = await this.#store.openDay(projectId, day);
    } finally {
      this.#days.delete(key);
    }
    if (!opened) return null;
    const salted = { day: opened.day, salt: Buffer.from(opened.salt).toString('hex') };
    this.#days.set(key, salted);
    return salted;
  }

  /** Forgets the project's days up to and including this one; all of them where none is given. */
  forget(projectId: string, through = Number.POSITIVE_INFINITY): void {
    for (const [key, salted] of this.#days) {
      const [id, day] = key.split(' ');
      if (id === projectId && !(salted instanceof Promise) && Number(day) <= through) this.#days.delete(key);
    }
  }
}
