import type { Connection } from './connection.ts';
import { damaged } from './trouble.ts';

/** More new pages than a batch of hits takes. */
const batchBytes = 1 << 18;

/** Finds out whether anything can be written. */
export function writeProbe(db: Connection) {
  return {
    /** Writes a page as it was, or new pages for a batch, and has them as durable as a count. */
    probeWriting: (size: 'page' | 'batch' = 'page'): void =>
      db
        .transaction(() => {
          const version = db.pragma('user_version', { simple: true });
          db.pragma(`user_version = ${version}`);
          if (size === 'page') return;
          // Deleted pages are overwritten, so that they are written all the same.
          db.exec('create table write_probe (content blob)');
          db.prepare('insert into write_probe values (zeroblob(?))').run(batchBytes);
          db.exec('drop table write_probe');
        })
        .immediate(),

    /** For the start of a server. @throws StoreError `damaged` where the structure of a file of this size is broken */
    requireSound(maxBytes: number): void {
      const pragma = (name: string) => db.pragma(name, { simple: true });
      if (Number(pragma('page_count')) * Number(pragma('page_size')) > maxBytes) return;
      const found = pragma('quick_check(1)');
      if (found !== 'ok') throw damaged(db.name, String(found).replace(/\s+/g, ' '));
    },
  };
}
