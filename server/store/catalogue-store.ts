/** A catalogue of AI clients as it was signed. */
export interface KeptCatalogue {
  version: number;
  signed: string;
}

/** The catalogue that was loaded last. */
export interface CatalogueStore {
  /** As it was signed, if it is of a higher version than this. */
  readCatalogue(above: number): Promise<string | undefined>;
  /** Only a higher version replaces one; false: it did not. */
  keepCatalogue(catalogue: KeptCatalogue): Promise<boolean>;
}
