import { auditedStore, commandLine } from '../../audit/audited-store.ts';
import type { Store } from '../../store/store.ts';
import type { Terminal } from './command.ts';

/**
 * Opens the store for one command, and closes it whatever comes. What the command changes is noted in the audit list.
 *
 * @throws StoreError `missing` where there is none
 */
export function withStore<T>(terminal: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  return closing(terminal.openStore, terminal, use);
}

/** The same for what a new installation begins with. */
export function withNewStore<T>(terminal: Terminal, use: (store: Store) => Promise<T>): Promise<T> {
  return closing(terminal.openOrMakeStore, terminal, use);
}

async function closing<T>(
  open: () => Promise<Store>,
  { now }: Terminal,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await open();
  try {
    return await use(auditedStore(store, commandLine, now));
  } finally {
    await store.close();
  }
}
