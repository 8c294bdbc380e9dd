import { describe, expect, test } from 'vitest';
import { makeKey } from '../../../../server/projects/key.ts';
import { maxSessions, type Session } from '../../../../server/store/admin/factors.ts';
import type { Link } from '../../../../server/store/projects.ts';
import type { Store } from '../../../../server/store/store.ts';
import { timeoutAtThisLoad } from '../../../support/machine/load.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

const session = (hash: string, at = 1000): Session => ({ hash, createdAt: at, usedAt: at });
const link = (id: string, projectId = 'p1'): Link => ({
  id,
  projectId,
  kind: 'page',
  token: `token of ${id}`,
  createdAt: '2026-01-01T00:00:00.000Z',
});

/** What every engine promises about the dashboard's data. */
export function testAdminStore(engine: Engine): void {
  describe(`the ${engine.name} store of the dashboard`, () => {
    let store: Store;
    const hashes = async () => (await store.admin.readSignedIn()).sessions.map(({ hash }) => hash).sort();

    eachStore(engine, (opened) => {
      store = opened;
    });

    test('has no password at first', async () => {
      expect(await store.admin.readPassword()).toBeNull();
      expect((await store.directory()).hasPassword).toBe(false);
      expect(await store.admin.startSession(session('a'), 'none')).toBe(false);
      expect(await store.admin.isSetupOpen('none', 0)).toBe(false);
    });

    test('sets a password by the newest one-time link, once and until its time', async () => {
      await store.admin.resetPassword('p0');
      await store.admin.startSession(session('old'), 'p0');
      await store.admin.offerSetup('link 1', 5000);
      await store.admin.offerSetup('link 2', 5000);
      expect(await store.admin.redeemSetup('link 1', 'x', session('x'))).toBe(false);
      expect(await store.admin.redeemSetup('link 2', 'x', session('x', 5000))).toBe(false);
      expect([await store.admin.readPassword(), await hashes()]).toEqual(['p0', ['old']]);
      expect([
        await store.admin.isSetupOpen('link 2', 4999),
        await store.admin.isSetupOpen('link 2', 5000),
      ]).toEqual([true, false]);
      const both = [1, 2].map((i) => store.admin.redeemSetup('link 2', `p${i}`, session(`s${i}`)));
      const redeemed = await Promise.all(both);
      expect(redeemed.toSorted()).toEqual([false, true]);
      const winner = redeemed.indexOf(true) + 1;
      expect([await store.admin.readPassword(), await hashes()]).toEqual([`p${winner}`, [`s${winner}`]]);
      expect((await store.directory()).hasPassword).toBe(true);
    });

    test('a new password ends sessions and the link, and is set only over the one that was known', async () => {
      await store.admin.resetPassword('p0');
      for (const hash of ['a', 'b', 'c']) await store.admin.startSession(session(hash), 'p0');
      expect(await store.admin.changePassword('wrong', 'p1', 'b')).toBe(false);
      expect([await store.admin.readPassword(), await hashes()]).toEqual(['p0', ['a', 'b', 'c']]);
      await store.admin.offerSetup('link', 5000);
      expect(await store.admin.changePassword('p0', 'p1', 'b')).toBe(true);
      expect([await store.admin.readPassword(), await hashes()]).toEqual(['p1', ['b']]);
      expect(await store.admin.isSetupOpen('link', 0)).toBe(false);
      expect(await store.admin.startSession(session('late'), 'p0')).toBe(false);
      await store.admin.resetPassword('p2');
      expect([await store.admin.readPassword(), await hashes()]).toEqual(['p2', []]);
    });

    test('notes the use of sessions, ends them, and forgets those without a use', async () => {
      await store.admin.resetPassword('p');
      for (const [i, hash] of ['a', 'b', 'c', 'd'].entries()) {
        await store.admin.startSession(session(hash, 1000 * (i + 1)), 'p');
      }
      await store.admin.touchSession('a', 9000);
      await store.admin.touchSession('a', 8000);
      expect((await store.admin.readSignedIn()).sessions.find(({ hash }) => hash === 'a')).toEqual({
        hash: 'a',
        createdAt: 1000,
        usedAt: 9000,
        userId: null,
      });
      await store.admin.forgetSessions(3000);
      expect(await hashes()).toEqual(['a', 'c', 'd']);
      await store.admin.endSession('c');
      expect(await hashes()).toEqual(['a', 'd']);
      await store.admin.touchSession('c', 10_000);
      expect(await hashes()).toEqual(['a', 'd']);
      await store.admin.endSessions();
      expect(await hashes()).toEqual([]);
    });

    test('keeps the limit of sessions for two processes that begin some at once', async () => {
      await store.admin.resetPassword('p');
      const other = await engine.open();
      const begun = Array.from({ length: maxSessions + 10 }, (_, i) =>
        (i % 2 === 0 ? store : other).admin.startSession(session(`s${i}`, 1000 + i), 'p'),
      );
      await Promise.all(begun);
      expect(await hashes()).toHaveLength(maxSessions);
      await other.close();
    });

    const listen = () => {
      const told = { directory: 0, sessions: 0 };
      const ends = [
        store.onDirectoryChange(() => told.directory++),
        store.admin.onSessionChange(() => told.sessions++),
      ];
      return { told, end: () => ends.forEach((end) => void end()) };
    };

    test('tells of what decides about a request, or of sessions, and of nothing else', async () => {
      const { told } = listen();
      const { stored } = makeKey('admin', 'p1', '', 0);
      const changes: [() => Promise<unknown>, ...(keyof typeof told)[]][] = [
        [() => addProject(store, 'p1'), 'directory'],
        [() => store.addKey(stored), 'directory'],
        [() => store.admin.resetPassword('p'), 'directory', 'sessions'],
        [() => store.admin.offerSetup('link', 9000)],
        [() => store.admin.startSession(session('a'), 'p'), 'sessions'],
        [() => store.admin.startSession(session('b'), 'wrong')],
        [() => store.admin.touchSession('a', 2000), 'sessions'],
        [() => store.admin.touchSession('a', 2000)],
        [() => store.admin.endSession('none')],
        [() => store.admin.endSession('a'), 'sessions'],
        [() => store.admin.endSessions()],
        [() => store.admin.redeemSetup('link', 'p1', session('c')), 'directory', 'sessions'],
        [() => store.admin.changePassword('p1', 'p2', 'none'), 'sessions'],
        [() => store.addLink(link('l')), 'directory'],
        [() => store.removeLink('p1', 'none')],
        [() => store.removeLink('p1', 'l'), 'directory'],
        [() => store.admin.markKeys([{ keyId: stored.id, day: '2026-01-01' }])],
        [() => store.revokeKey(stored.id), 'directory'],
        [() => store.removeProject('p1'), 'directory'],
      ];
      const expected = { directory: 0, sessions: 0 };
      for (const [change, ...kinds] of changes) {
        const before = await store.directoryVersion();
        await change();
        for (const kind of kinds) expected[kind]++;
        expect([change.toString(), await store.directoryVersion()]).toEqual([
          change.toString(),
          before + (kinds.includes('directory') ? 1 : 0),
        ]);
        await expect.poll(() => [change.toString(), told]).toEqual([change.toString(), expected]);
      }
    });

    test('reports within a second what another process changed, as long as somebody listens', async () => {
      const other = await engine.open();
      const [{ told }, ended] = [listen(), listen()];
      ended.end();
      await other.admin.resetPassword('p');
      await expect
        .poll(() => told, { timeout: timeoutAtThisLoad(1000) })
        .toEqual({ directory: 1, sessions: 1 });
      await other.admin.startSession(session('a'), 'p');
      await expect
        .poll(() => told, { timeout: timeoutAtThisLoad(1000) })
        .toEqual({ directory: 1, sessions: 2 });
      expect(ended.told).toEqual({ directory: 0, sessions: 0 });
      await other.close();
    });

    test('keeps links by project, and removes them with it', async () => {
      await addProject(store, 'p1');
      await addProject(store, 'p2');
      expect(await store.addLink(link('l1'))).toBe(true);
      expect(await store.addLink(link('l2', 'p2'))).toBe(true);
      expect(await store.addLink(link('l3', 'none'))).toBe(false);
      expect((await store.directory()).links).toEqual([link('l1'), link('l2', 'p2')]);
      expect(await store.removeLink('p1', 'l2')).toBe(false);
      await store.removeProject('p2');
      expect((await store.directory()).links).toEqual([link('l1')]);
      expect(await store.removeLink('p1', 'l1')).toBe(true);
      expect((await store.directory()).links).toEqual([]);
    });

    test('keeps the newest day on which a key was used', async () => {
      await addProject(store, 'p1');
      const keys = [makeKey('admin', 'p1', '', 0).stored, makeKey('admin', null, '', 0).stored];
      for (const key of keys) await store.addKey(key);
      const [one = '', two = ''] = keys.map(({ id }) => id);
      expect(await store.admin.keyUses()).toEqual({});
      await store.admin.markKeys([
        { keyId: one, day: '2026-01-02' },
        { keyId: two, day: '2026-01-02' },
        { keyId: 'none', day: '2026-01-02' },
      ]);
      await store.admin.markKeys([
        { keyId: one, day: '2026-01-01' },
        { keyId: two, day: '2026-01-03' },
      ]);
      expect(await store.admin.keyUses()).toEqual({ [one]: '2026-01-02', [two]: '2026-01-03' });
      expect((await store.directory()).keys).toHaveLength(2);
    });
  });
}
