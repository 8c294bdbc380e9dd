import { describe, expect, test } from 'vitest';
import { maxSessions, type Session } from '../../../../server/store/admin/factors.ts';
import type { AddedUser } from '../../../../server/store/admin/users.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const user = (name: string, roles: AddedUser['roles'] = []): AddedUser => ({
  id: `id of ${name}`,
  name,
  createdAt,
  roles,
});
const link = (hash: string, expiresAt = 5000) => ({ hash, expiresAt });
const session = (hash: string, at = 1000): Session => ({ hash, createdAt: at, usedAt: at });

/** What every engine promises about users. */
export function testUserStore(engine: Engine): void {
  describe(`the ${engine.name} store of users`, () => {
    let store: Store;
    const owners = async () =>
      (await store.admin.readSignedIn()).sessions.map(({ hash, userId }) => `${hash} of ${userId}`).sort();

    eachStore(engine, async (opened) => {
      store = opened;
      for (const id of ['p1', 'p2']) await addProject(store, id);
    });

    test('adds users by a name that no other has, lists them by it, and removes them', async () => {
      const roles: AddedUser['roles'] = [
        { projectId: null, role: 'viewer' },
        { projectId: 'p2', role: 'owner' },
      ];
      expect(await store.users.addUser(user('zoe', roles), link('z'))).toBe(true);
      expect(await store.users.addUser(user('ada'), link('a'))).toBe(true);
      expect(await store.users.addUser({ ...user('ada'), id: 'another' }, link('b'))).toBe(false);
      const waiting = { hasPassword: false, hasSecondFactor: false, hasSignOn: false, linkExpiresAt: 5000 };
      expect(await store.users.listUsers()).toEqual([
        { ...user('ada'), ...waiting },
        { ...user('zoe', roles), ...waiting },
      ]);
      expect(await store.users.removeUser('id of ada')).toBe(true);
      expect(await store.users.removeUser('id of ada')).toBe(false);
      expect((await store.users.listUsers()).map(({ name }) => name)).toEqual(['zoe']);
    });

    test('replaces roles, and leaves out those in projects that are not there', async () => {
      await store.users.addUser(user('ada', [{ projectId: 'p1', role: 'viewer' }]), link('a'));
      const given: AddedUser['roles'] = [
        { projectId: 'p2', role: 'editor' },
        { projectId: 'none', role: 'owner' },
      ];
      expect(await store.users.setRoles('id of ada', given)).toBe(true);
      expect(await store.users.setRoles('nobody', given)).toBe(false);
      const roles = async () => (await store.users.listUsers())[0]?.roles;
      expect(await roles()).toEqual([{ projectId: 'p2', role: 'editor' }]);
      await store.removeProject('p2');
      expect(await roles()).toEqual([]);
    });

    test('sets a password by the newest link of a user, once and until its time', async () => {
      await store.users.addUser(user('ada'), link('one'));
      expect(await store.users.findPassword('ada')).toBeNull();
      expect(await store.users.offerLink('id of ada', link('two'))).toBe(true);
      expect(await store.users.offerLink('nobody', link('three'))).toBe(false);
      expect(await store.users.findLink('one', 0)).toBeNull();
      expect(await store.users.findLink('two', 4999)).toBe('id of ada');
      expect(await store.users.findLink('two', 5000)).toBeNull();
      expect(await store.users.redeemLink('two', 'x', session('x', 5000))).toBe(false);
      const both = [1, 2].map((i) => store.users.redeemLink('two', `p${i}`, session(`s${i}`)));
      const redeemed = await Promise.all(both);
      expect(redeemed.toSorted()).toEqual([false, true]);
      // Two connections keep no order.
      const winner = redeemed.indexOf(true) + 1;
      expect(await store.users.findPassword('ada')).toEqual({ userId: 'id of ada', password: `p${winner}` });
      expect(await owners()).toEqual([`s${winner} of id of ada`]);
    });

    test('ends the sessions of one user alone, by a new password, by asking for it, and by removal', async () => {
      await store.admin.resetPassword('p');
      await store.admin.startSession(session('admin'), 'p');
      for (const name of ['ada', 'bob']) {
        await store.users.addUser(user(name), link(name));
        await store.users.redeemLink(name, 'p1', session(`first of ${name}`));
        expect(await store.users.startSession(`id of ${name}`, session(`second of ${name}`), 'p1')).toBe(
          true,
        );
        expect(await store.users.startSession(`id of ${name}`, session('wrong'), 'p2')).toBe(false);
      }
      expect(await store.users.changePassword('id of ada', 'wrong', 'p2', 'second of ada')).toBe(false);
      expect(await store.users.changePassword('id of ada', 'p1', 'p2', 'second of ada')).toBe(true);
      const others = ['first of bob of id of bob', 'second of bob of id of bob'];
      expect(await owners()).toEqual(['admin of null', ...others, 'second of ada of id of ada'].sort());
      await store.users.endSessions('id of ada');
      expect(await owners()).toEqual(['admin of null', ...others].sort());
      await store.admin.endSessions();
      expect(await owners()).toEqual(others);
      await store.users.removeUser('id of bob');
      expect(await owners()).toEqual([]);
    });

    test('notes, forgets and limits sessions of users as those of the administrator', async () => {
      await store.users.addUser(user('ada'), link('a'));
      await store.users.redeemLink('a', 'p', session('s0'));
      await store.admin.touchSession('s0', 9000);
      expect((await store.admin.readSignedIn()).sessions).toEqual([
        { hash: 's0', createdAt: 1000, usedAt: 9000, userId: 'id of ada' },
      ]);
      for (let i = 1; i <= maxSessions; i++) {
        await store.users.startSession('id of ada', session(`s${i}`, 1000 + i), 'p');
      }
      expect(await owners()).toHaveLength(maxSessions);
      await store.admin.forgetSessions(9000);
      expect(await owners()).toEqual(['s0 of id of ada']);
      await store.admin.endSession('s0');
      expect(await owners()).toEqual([]);
    });

    test('tells those who listen to sessions of every change', async () => {
      let told = 0;
      store.admin.onSessionChange(() => told++);
      const changes = [
        () => store.users.addUser(user('ada'), link('a')),
        () => store.users.redeemLink('a', 'p', session('s')),
        () => store.users.setRoles('id of ada', [{ projectId: 'p1', role: 'viewer' }]),
        () => store.users.offerLink('id of ada', link('b')),
        () => store.users.changePassword('id of ada', 'p', 'q', 's'),
        () => store.users.endSessions('id of ada'),
        () => store.users.removeUser('id of ada'),
      ];
      for (const [i, change] of changes.entries()) {
        await change();
        await expect.poll(() => [change.toString(), told]).toEqual([change.toString(), i + 1]);
      }
      await store.users.removeUser('id of ada');
      expect(told).toBe(changes.length);
    });
  });
}
