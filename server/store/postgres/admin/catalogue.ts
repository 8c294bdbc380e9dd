import type { CatalogueStore, KeptCatalogue } from '../../catalogue-store.ts';
import type { Database } from '../database.ts';

/** The catalogue of AI clients that was loaded last, for all nodes. */
export class LoadedCatalogue implements CatalogueStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readCatalogue(above: number, besides?: string): Promise<string | undefined> {
    const [kept] = await this.#database.query<Pick<KeptCatalogue, 'signed'>>(
      'select signed from loaded_catalogue where version > $1 or left(signed, length($2)) <> $2',
      [above, besides ?? null],
    );
    return kept?.signed;
  }

  async keepCatalogue({ version, signed }: KeptCatalogue, instead?: string): Promise<boolean> {
    const kept = await this.#database.query(
      `insert into loaded_catalogue as l (id, version, signed) values (1, $1, $2)
       on conflict (id) do update set version = excluded.version, signed = excluded.signed
         where l.version < excluded.version or l.signed = $3
       returning id`,
      [version, signed, instead ?? null],
    );
    return kept.length > 0;
  }
}
