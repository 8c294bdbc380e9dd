import { CatalogueKeeper } from '../../identity/loaded/catalogue-keeper.ts';
import type { Store } from '../../store/store.ts';
import type { Terminal } from './command.ts';

/** Judges by the catalogue that was loaded, as the server does. That it does so is no news. */
export function takeUpCatalogue(
  { config, log }: Pick<Terminal, 'config' | 'log'>,
  store: Store['catalogue'],
): Promise<CatalogueKeeper> {
  return CatalogueKeeper.open({ config, store, log: { ...log, info: () => undefined } });
}
