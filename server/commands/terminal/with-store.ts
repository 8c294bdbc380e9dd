import { type Store, StoreError } from '../../store/store.ts';
import type { Terminal } from './command.ts';
import { takeUpCatalogue } from './loaded-catalogue.ts';

/**
 * Opens the store for one command, and closes it in any case.
 *
 * @throws StoreError `missing` where there is none
 */
export function withStore<T>(terminal: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  return closing(terminal.openStore, terminal, use);
}

/** The same for commands that may start a new installation. */
export function withNewStore<T>(terminal: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  return closing(terminal.openOrMakeStore, terminal, use);
}

async function closing<T>(
  open: () => Promise<Store>,
  terminal: Terminal,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await open();
  try {
    await takeUpCatalogue(terminal, store.catalogue);
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The catalogue that was loaded is in use; for commands that need nothing else of the store, which need not be there. */
export async function takeUpLoaded(terminal: Terminal): Promise<void> {
  if (terminal.config.clients.catalogueKeys.length === 0) return;
  try {
    await withStore(terminal, async () => undefined);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'missing')) throw error;
  }
}
