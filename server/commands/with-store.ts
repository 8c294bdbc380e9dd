import type { Store } from '../store/store.ts';
import type { Terminal } from './command.ts';

/** Opens the store for one command, and closes it whatever comes. */
export async function withStore<T>({ openStore }: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
