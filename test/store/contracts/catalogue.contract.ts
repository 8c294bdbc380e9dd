import { describe, expect, test } from 'vitest';
import type { Store } from '../../../server/store/store.ts';
import { eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';

/** What every engine promises about the catalogue that was loaded. */
export function testCatalogueStore(engine: Engine): void {
  describe(`the ${engine.name} store of the loaded catalogue`, () => {
    let store: Store;
    const keep = (version: number, signed: string) => store.catalogue.keepCatalogue({ version, signed });

    eachStore(engine, (opened) => {
      store = opened;
    });

    test('keeps the one of the highest version, and says whether it was new', async () => {
      expect(await store.catalogue.readCatalogue(0)).toBeUndefined();
      expect(await keep(7, 'seven')).toBe(true);
      expect([await keep(7, 'another seven'), await keep(6, 'six')]).toEqual([false, false]);
      expect(await store.catalogue.readCatalogue(6)).toBe('seven');
      expect(await store.catalogue.readCatalogue(7)).toBeUndefined();
      expect(await keep(8, 'eight, “signed”')).toBe(true);
      expect(await store.catalogue.readCatalogue(7)).toBe('eight, “signed”');
    });

    test('replaces a higher version where its text is named, and finds one that begins otherwise', async () => {
      await keep(900, 'old\nkey');
      const instead = (version: number, signed: string, text: string) =>
        store.catalogue.keepCatalogue({ version, signed }, text);
      expect(await instead(800, 'new\nkey', 'another')).toBe(false);
      expect(await store.catalogue.readCatalogue(900, 'old')).toBeUndefined();
      expect(await instead(800, 'new\nkey', 'old\nkey')).toBe(true);
      expect(await store.catalogue.readCatalogue(900, 'old')).toBe('new\nkey');
      expect(await store.catalogue.readCatalogue(900)).toBeUndefined();
    });

    test('keeps the highest of those that come at the same time', async () => {
      const other = await engine.open();
      const versions = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) + 1);
      await Promise.all(
        versions.map((version, i) =>
          (i % 2 ? store : other).catalogue.keepCatalogue({ version, signed: `text of ${version}` }),
        ),
      );
      expect(await other.catalogue.readCatalogue(0)).toBe('text of 20');
      await other.close();
    });
  });
}
