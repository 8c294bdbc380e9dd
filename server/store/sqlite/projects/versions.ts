import type { Statement } from 'better-sqlite3';
import type { Versions } from '../../changes.ts';
import type { Connection } from '../connection.ts';

const raise: Record<keyof Versions, string> = {
  directory: 'update directory_version set version = version + 1',
  sessions: 'update directory_version set sessions = sessions + 1',
};

/** One transaction that may change any of these; answers whether it did. */
export function change(db: Connection, kinds: (keyof Versions)[], apply: () => boolean): boolean {
  return db
    .transaction(() => {
      const changed = apply();
      if (changed) for (const kind of kinds) db.prepare(raise[kind]).run();
      return changed;
    })
    .immediate();
}

export class VersionReader {
  readonly #versions: Statement<[], Versions>;

  constructor(db: Connection) {
    this.#versions = db.prepare('select version as directory, sessions from directory_version');
  }

  versions(): Versions {
    return this.#versions.get() ?? { directory: 0, sessions: 0 };
  }
}
