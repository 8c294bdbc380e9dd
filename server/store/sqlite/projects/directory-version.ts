import type { Connection } from '../connection.ts';

/** One transaction; whoever holds the directory in memory sees by its version that it changed. */
export function changeDirectory(db: Connection, apply: () => boolean): boolean {
  return db
    .transaction(() => {
      const changed = apply();
      if (changed) db.prepare('update directory_version set version = version + 1').run();
      return changed;
    })
    .immediate();
}
