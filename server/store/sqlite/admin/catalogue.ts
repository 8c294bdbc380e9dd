import type { Statement } from 'better-sqlite3';
import type { KeptCatalogue } from '../../catalogue-store.ts';
import type { Connection } from '../connection.ts';

/** The catalogue of AI clients that was loaded last. */
export class LoadedCatalogue {
  readonly #read: Statement<[number], Pick<KeptCatalogue, 'signed'>>;
  readonly #keep: Statement<[KeptCatalogue]>;

  constructor(db: Connection) {
    this.#read = db.prepare('select signed from loaded_catalogue where version > ?');
    this.#keep = db.prepare(
      `insert into loaded_catalogue (id, version, signed) values (1, @version, @signed)
       on conflict (id) do update set version = excluded.version, signed = excluded.signed
         where version < excluded.version`,
    );
  }

  readCatalogue(above: number): string | undefined {
    return this.#read.get(above)?.signed;
  }

  keepCatalogue(catalogue: KeptCatalogue): boolean {
    return this.#keep.run(catalogue).changes > 0;
  }
}
