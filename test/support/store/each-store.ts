import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../../server/store/store.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { Engine } from './engines.ts';

/**
 * Opens an empty store of the engine before each test, and closes it and all others of it afterwards.
 *
 * @param begin keeps it, and puts into it what all tests of the block need
 * @param openAnother as another process has it
 */
export function eachStore(
  engine: Engine,
  begin: (store: Store, openAnother: () => Promise<Store>) => unknown,
): void {
  let opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await engine.open();
    opened.push(store);
    return store;
  };

  beforeEach(async () => {
    await engine.prepare();
    await begin(await open(), open);
  });

  afterEach(async () => {
    const closing = opened.toReversed();
    opened = [];
    try {
      for (const store of closing) await store.close();
    } finally {
      await engine.cleanUp();
    }
  });
}

/** A project of that id and name, with settings as a new one has them. */
export async function addProject(store: Store, id: string): Promise<void> {
  const createdAt = '2026-01-01T00:00:00.000Z';
  await store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt }, []);
}
