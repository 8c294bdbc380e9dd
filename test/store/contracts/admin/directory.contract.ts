import { describe, expect, test } from 'vitest';
import { makeKey } from '../../../../server/projects/key.ts';
import type { Link } from '../../../../server/store/projects.ts';
import { endingWith } from '../../../../server/store/projects.ts';
import type { Store } from '../../../../server/store/store.ts';
import { projectSettings } from '../../../../shared/project/project.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

/** What every engine promises about projects and keys. */
export function testDirectory(engine: Engine): void {
  describe(`the directory in the ${engine.name} store`, () => {
    let store: Store;
    const addProject = (id: string, by = store) =>
      by.addProject(
        { id, settings: projectSettings.parse({ name: id }), createdAt: '2026-01-01T00:00:00.000Z' },
        [],
      );

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject('p1');
    });

    test('keeps projects and keys, and raises the version with every change', async () => {
      const versions = [await store.directoryVersion()];
      const { stored } = makeKey('admin', 'p1', 'mine', Date.parse('2026-02-01'));
      await store.addKey(stored);
      versions.push(await store.directoryVersion());
      await store.setProject('p1', projectSettings.parse({ name: 'Renamed', hosts: ['example.com'] }));
      versions.push(await store.directoryVersion());
      const directory = await store.directory();
      expect(directory.keys).toEqual([stored]);
      expect(directory.projects[0]).toMatchObject({
        id: 'p1',
        settings: { name: 'Renamed', hosts: ['example.com'] },
      });
      await store.revokeKey(stored.id);
      versions.push(await store.directoryVersion());
      expect((await store.directory()).keys).toEqual([]);
      expect(new Set(versions).size).toBe(4);
    });

    test('keeps the limits of keys and who made them, and revokes with a key those that it made', async () => {
      const by = (id: string) => ({ maker: { kind: 'key', id, name: 'maker' } as const });
      const limits = { expiresAt: '2026-12-01T00:00:00.000Z', networks: ['10.0.0.0/8', '::1'] };
      const person = { maker: { kind: 'user', id: 'user_1', name: 'ada' } } as const;
      const { stored: first } = makeKey('admin', 'p1', 'first', 0, { ...limits, ...person });
      const { stored: second } = makeKey('jobs', 'p1', 'second', 1, by(first.id));
      const { stored: third } = makeKey('read', 'p1', 'third', 2, by(second.id));
      // Of a user who has the id of the key.
      const { stored: beside } = makeKey('ingest', null, 'beside', 3, {
        maker: { kind: 'user', id: first.id, name: 'ada' },
      });
      const keys = [first, second, third, beside];
      for (const key of keys) expect(await store.addKey(key)).toBe(true);
      expect((await store.directory()).keys).toEqual(keys);
      const other = await engine.open();
      expect((await other.directory()).keys).toEqual(keys);
      expect(endingWith(keys, first.id)).toEqual([first, second, third]);
      expect(await store.revokeKey(first.id)).toBe(true);
      for (const one of [store, other]) expect((await one.directory()).keys).toEqual([beside]);
      const version = await store.directoryVersion();
      expect(await store.addKey(makeKey('read', 'p1', 'late', 4, by(second.id)).stored)).toBe(false);
      expect([(await store.directory()).keys, await store.directoryVersion()]).toEqual([[beside], version]);
      await other.close();
    });

    test('adds one first project where two want to, and none beside another', async () => {
      const other = await engine.open();
      const addFirst = (by: Store, id: string) =>
        by.addFirstProject(
          { id, settings: projectSettings.parse({ name: id }), createdAt: '2026-01-01T00:00:00.000Z' },
          [makeKey('admin', id, '', 0).stored],
        );
      expect(await addFirst(store, 'p2')).toBe(false);
      await store.removeProject('p1');
      const added = await Promise.all([addFirst(store, 'p3'), addFirst(other, 'p4')]);
      expect(added.sort()).toEqual([false, true]);
      const { projects, keys } = await store.directory();
      expect([projects.length, keys.length]).toEqual([1, 1]);
      await other.close();
    });

    test('keeps the hosts that are noted while settings are changed', async () => {
      const other = await engine.open();
      const before = await store.directoryVersion();
      const names = Array.from({ length: 8 }, (_, i) => `s${i}.example`);
      await Promise.all(
        names.flatMap((host) => [
          (host.charCodeAt(1) % 2 ? store : other).noteHost('p1', host),
          store.setProject('p1', projectSettings.parse({ name: host, seenHosts: ['made-up.example'] })),
        ]),
      );
      const [project] = (await store.directory()).projects;
      expect(project?.settings.seenHosts.toSorted()).toEqual(names);
      expect(await store.noteHost('p1', 's0.example')).toBe(false);
      expect(await store.noteHost('none', 's0.example')).toBe(false);
      expect(await store.directoryVersion()).toBeGreaterThan(before);
      await other.close();
    });

    test('says when there is nothing to change, and keeps its version', async () => {
      const version = await store.directoryVersion();
      expect(await store.setProject('none', projectSettings.parse({ name: 'x' }))).toBe(false);
      expect(await store.removeProject('none')).toBe(false);
      expect(await store.revokeKey('none')).toBe(false);
      expect(await store.directoryVersion()).toBe(version);
    });

    test('refuses a key of a project that is not there, and leaves nothing half-done', async () => {
      const { stored } = makeKey('admin', 'none', '', 0);
      await expect(store.addKey(stored)).rejects.toThrow('no project none');
      const { stored: twice } = makeKey('admin', 'p2', '', 0);
      const settings = projectSettings.parse({ name: 'p2' });
      await expect(store.addProject({ id: 'p2', settings, createdAt: '' }, [twice, twice])).rejects.toThrow();
      expect(await store.directory()).toMatchObject({ projects: [{ id: 'p1' }], keys: [] });
    });

    test('keeps secrets as they are given, and tells which are set', async () => {
      const settings = projectSettings.parse({ name: 'p1' });
      const [first, second] = [Buffer.from([0, 1, 255]), Buffer.from('second')];
      await store.setProject('p1', settings, { forgeToken: first, githubAppKey: second });
      await store.setProject('p1', settings, {});
      const secretsOf = async () => (await store.directory()).projects[0]?.secrets;
      expect(await secretsOf()).toEqual(['forgeToken', 'githubAppKey']);
      expect(Buffer.from((await store.readSecrets('p1')).forgeToken ?? [])).toEqual(first);
      await store.setProject('p1', settings, { forgeToken: second, githubAppKey: null });
      expect(await secretsOf()).toEqual(['forgeToken']);
      const kept = await store.readSecrets('p1');
      expect(Object.entries(kept).map(([name, sealed]) => [name, String(Buffer.from(sealed))])).toEqual([
        ['forgeToken', 'second'],
      ]);
      expect(await store.readSecrets('none')).toEqual({});
    });

    test('is the same for all who have it open, whoever changes what', async () => {
      const other = await engine.open();
      const link = (id: string): Link => ({ id, projectId: 'p2', kind: 'badge', token: id, createdAt: '' });
      const { stored } = makeKey('ingest', 'p2', '', 0);
      const { stored: root } = makeKey('admin', null, '', 1);
      const changes: (() => Promise<unknown>)[] = [
        () => addProject('p2', other),
        () => store.addKey(stored),
        () => other.addKey(root),
        () => other.addLink(link('l1')),
        () => store.addLink(link('l2')),
        () =>
          other.setProject('p1', projectSettings.parse({ name: 'Renamed' }), { forgeToken: Buffer.of(1) }),
        () => store.removeLink('p2', 'l1'),
        () => other.removeProject('p2'),
        () => store.revokeKey(root.id),
        () => addProject('p2'),
        () => other.admin.resetPassword('p'),
      ];
      for (const change of changes) {
        await change();
        const later = await engine.open();
        const fresh = await later.directory();
        await later.close();
        expect([await store.directory(), await other.directory()]).toEqual([fresh, fresh]);
      }
      expect(await store.directory()).toMatchObject({
        projects: [
          { id: 'p1', settings: { name: 'Renamed' }, secrets: ['forgeToken'] },
          { id: 'p2', settings: { name: 'p2' }, secrets: [] },
        ],
        keys: [],
        links: [],
        hasPassword: true,
        incomplete: new Set(),
      });
      await other.close();
    });

    test('has every change of those who change it at once', async () => {
      const other = await engine.open();
      const ids = Array.from({ length: 40 }, (_, i) => `many${i}`);
      const before = await store.directoryVersion();
      await Promise.all(ids.map((id, i) => addProject(id, i % 2 === 0 ? store : other)));
      expect(await store.directoryVersion()).toBe(before + ids.length);
      const found = (await other.directory()).projects.map(({ id }) => id);
      expect(found.toSorted()).toEqual(['p1', ...ids].toSorted());
      await other.close();
    });

    test('a closed store says so', async () => {
      await store.close();
      await expect(store.directory()).rejects.toMatchObject({ code: 'closed' });
    });
  });
}
