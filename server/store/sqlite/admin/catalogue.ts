import type { Statement } from 'better-sqlite3';
import type { KeptCatalogue } from '../../catalogue-store.ts';
import type { Connection } from '../connection.ts';

/** The catalogue of AI clients that was loaded last. */
export class LoadedCatalogue {
  readonly #read: Statement<[{ above: number; besides: string | null }], Pick<KeptCatalogue, 'signed'>>;
  readonly #keep: Statement<[KeptCatalogue & { instead: string | null }]>;

  constructor(db: Connection) {
    this.#read = db.prepare(
      'select signed from loaded_catalogue where version > @above or substr(signed, 1, length(@besides)) <> @besides',
    );
    this.#keep = db.prepare(
      `insert into loaded_catalogue (id, version, signed) values (1, @version, @signed)
       on conflict (id) do update set version = excluded.version, signed = excluded.signed
         where version < excluded.version or signed = @instead`,
    );
  }

  readCatalogue(above: number, besides?: string): string | undefined {
    return this.#read.get({ above, besides: besides ?? null })?.signed;
  }

  keepCatalogue(catalogue: KeptCatalogue, instead?: string): boolean {
    return this.#keep.run({ ...catalogue, instead: instead ?? null }).changes > 0;
  }
}
