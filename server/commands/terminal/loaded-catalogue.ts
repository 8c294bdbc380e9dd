import { CatalogueKeeper } from '../../identity/loaded/catalogue-keeper.ts';
import type { Store } from '../../store/store.ts';
import type { Terminal } from './command.ts';

/** Classifies by the loaded catalogue, as the server does, without logging that. */
export function takeUpCatalogue(
  { config, log }: Pick<Terminal, 'config' | 'log'>,
  store: Store['catalogue'],
): Promise<CatalogueKeeper> {
  return CatalogueKeeper.open({ config, store, log: { ...log, info: () => undefined } });
}
