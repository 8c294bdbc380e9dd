import type { Connection } from './connection.ts';
import { damaged } from './trouble.ts';

/** More new pages than a batch of hits takes. */
const batchBytes = 1 << 18;

/** Finds out whether anything can be written. */
export class WriteProbe {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Writes a page as it was, or new pages for a batch, and has them as durable as a count. */
  probeWriting(size: 'page' | 'batch' = 'page'): void {
    this.#db
      .transaction(() => {
        const version = this.#db.pragma('user_version', { simple: true });
        this.#db.pragma(`user_version = ${version}`);
        if (size === 'batch') this.#writeNewPages();
      })
      .immediate();
  }

  /** Deleted pages are overwritten, so that they are written all the same. */
  #writeNewPages(): void {
    this.#db.exec('create table write_probe (content blob)');
    this.#db.prepare('insert into write_probe values (zeroblob(?))').run(batchBytes);
    this.#db.exec('drop table write_probe');
  }

  /** For the start of a server. @throws StoreError `damaged` where the structure of a file of this size is broken */
  requireSound(maxBytes: number): void {
    const [pages, pageSize] = ['page_count', 'page_size'].map((name) =>
      Number(this.#db.pragma(name, { simple: true })),
    );
    if (Number(pages) * Number(pageSize) > maxBytes) return;
    const found = this.#db.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw damaged(this.#db.name, String(found).replace(/\s+/g, ' '));
  }
}
