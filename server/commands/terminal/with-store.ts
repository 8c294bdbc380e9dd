import type { Store } from '../../store/store.ts';
import type { Terminal } from './command.ts';

/** Opens the store for one command, and closes it whatever comes. @throws StoreError `missing` where there is none */
export function withStore<T>({ openStore }: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  return closing(openStore, use);
}

/** The same for what a new installation begins with. */
export function withNewStore<T>(
  { openOrMakeStore }: Terminal,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  return closing(openOrMakeStore, use);
}

async function closing<T>(open: () => Promise<Store>, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await open();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
