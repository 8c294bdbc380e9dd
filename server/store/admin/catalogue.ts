import { has, type Sql } from '../../database/sql.ts';

/** A catalogue of AI clients as it was signed. */
export interface KeptCatalogue {
  version: number;
  signed: string;
}

export type CatalogueStore = ReturnType<typeof catalogue>;

/** The catalogue of AI clients that was loaded last. */
export function catalogue(sql: Sql) {
  return {
    /** As it was signed, if it is of a higher version than this, or does not begin with this. */
    async readCatalogue(above: number, besides?: string): Promise<string | undefined> {
      const [kept] = await sql.query<Pick<KeptCatalogue, 'signed'>>(
        'select signed from loaded_catalogue where version > $1 or substr(signed, 1, length($2)) <> $2',
        [above, besides ?? null],
      );
      return kept?.signed;
    },

    /**
     * Only a higher version replaces one, or any version the one with that text, which no present key verifies. False: it did
     * not.
     */
    async keepCatalogue({ version, signed }: KeptCatalogue, instead?: string): Promise<boolean> {
      return has(
        sql,
        `insert into loaded_catalogue as l (id, version, signed) values (1, $1, $2)
         on conflict (id) do update set version = excluded.version, signed = excluded.signed
           where l.version < excluded.version or l.signed = $3
         returning id`,
        [version, signed, instead ?? null],
      );
    },
  };
}
