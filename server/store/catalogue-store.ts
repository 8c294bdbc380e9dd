/** A catalogue of AI clients as it was signed. */
export interface KeptCatalogue {
  version: number;
  signed: string;
}

/** The catalogue that was loaded last. */
export interface CatalogueStore {
  /** As it was signed, if it is of a higher version than this, or does not begin with this. */
  readCatalogue(above: number, besides?: string): Promise<string | undefined>;
  /**
   * Only a higher version replaces one, or any version the one with that text, which no present key verifies. False: it did
   * not.
   */
  keepCatalogue(catalogue: KeptCatalogue, instead?: string): Promise<boolean>;
}
