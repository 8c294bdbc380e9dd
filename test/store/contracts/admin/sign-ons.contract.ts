import { describe, expect, test } from 'vitest';
import type { Session } from '../../../../server/store/admin/factors.ts';
import type { Store } from '../../../../server/store/store.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

const issuer = 'https://login.example';
const account = (subject: string, of = issuer) => ({ issuer: of, subject });
const session = (hash: string): Session => ({ hash, createdAt: 1000, usedAt: 1000 });

/** What every engine promises about accounts at providers. */
export function testSignOnStore(engine: Engine): void {
  describe(`the ${engine.name} store of sign-ons`, () => {
    let store: Store;
    const owners = async () =>
      (await store.admin.readSignedIn()).sessions.map(({ hash, userId }) => `${hash} of ${userId}`).sort();

    eachStore(engine, async (opened) => {
      store = opened;
      for (const name of ['ada', 'bob']) {
        const user = { id: name, name, createdAt: '2026-01-01T00:00:00.000Z', roles: [] };
        await store.users.addUser(user, { hash: `link of ${name}`, expiresAt: 5000 });
      }
    });

    test('begins sessions of the user who has connected the account, and of nobody else', async () => {
      expect(await store.signOns.startSessionBySignOn(account('a'), session('s1'))).toBe(false);
      expect(await store.signOns.connectSignOn('ada', account('a'))).toBe('connected');
      expect(await store.signOns.startSessionBySignOn(account('a'), session('s2'))).toBe(true);
      expect(await store.signOns.startSessionBySignOn(account('A'), session('s3'))).toBe(false);
      const elsewhere = account('a', 'https://other.example');
      expect(await store.signOns.startSessionBySignOn(elsewhere, session('s4'))).toBe(false);
      expect(await owners()).toEqual(['s2 of ada']);
      expect(await store.signOns.hasSignOn('ada', issuer)).toBe(true);
      expect(await store.signOns.hasSignOn('bob', issuer)).toBe(false);
      expect((await store.users.listUsers()).map(({ hasSignOn }) => hasSignOn)).toEqual([true, false]);
    });

    test('keeps one account of a provider for each user, and each for one of them', async () => {
      const both = ['ada', 'bob'].map((name) => store.signOns.connectSignOn(name, account('a')));
      expect((await Promise.all(both)).toSorted()).toEqual(['connected', 'taken']);
      const [owner = ''] = (await store.users.listUsers()).flatMap(({ id, hasSignOn }) =>
        hasSignOn ? [id] : [],
      );
      expect(await store.signOns.connectSignOn(owner, account('b'))).toBe('connected');
      expect(await store.signOns.startSessionBySignOn(account('a'), session('s1'))).toBe(false);
      expect(await store.signOns.connectSignOn(owner, account('b'))).toBe('connected');
      expect(await store.signOns.disconnectSignOn(owner, issuer)).toBe(true);
      expect(await store.signOns.disconnectSignOn(owner, issuer)).toBe(false);
      expect(await store.signOns.startSessionBySignOn(account('b'), session('s2'))).toBe(false);
      await store.signOns.connectSignOn(owner, account('c'));
      await store.users.removeUser(owner);
      expect(await store.signOns.startSessionBySignOn(account('c'), session('s3'))).toBe(false);
    });

    test('takes up a link once, unless it is another’s account, and ends all other sessions', async () => {
      await store.users.redeemLink('link of bob', 'p', session('of bob'));
      await store.signOns.connectSignOn('bob', account('b'));
      const redeem = (hash: string, subject: string, at: Session) =>
        store.signOns.redeemLinkBySignOn(hash, account(subject), at);
      expect(await redeem('link of ada', 'b', session('s1'))).toBe('taken');
      expect(await redeem('link of ada', 'a', { ...session('s2'), createdAt: 5000 })).toBe('closed');
      const both = ['s3', 's4'].map((hash) => redeem('link of ada', 'a', session(hash)));
      expect((await Promise.all(both)).toSorted()).toEqual(['closed', 'connected']);
      expect(await owners()).toHaveLength(2);
      await store.users.offerLink('ada', { hash: 'another', expiresAt: 5000 });
      expect(await redeem('another', 'a2', session('s5'))).toBe('connected');
      expect(await owners()).toEqual(['of bob of bob', 's5 of ada']);
      const [ada] = await store.users.listUsers();
      expect(ada).toMatchObject({ hasPassword: false, hasSignOn: true, linkExpiresAt: null });
    });

    test('by a link leaves no password from before, and by connecting an account it does', async () => {
      await store.users.redeemLink('link of ada', 'p', session('of ada'));
      await store.signOns.connectSignOn('ada', account('a'));
      expect(await store.users.findPassword('ada')).toEqual({ userId: 'ada', password: 'p' });
      await store.users.offerLink('ada', { hash: 'another', expiresAt: 5000 });
      expect(await store.signOns.redeemLinkBySignOn('another', account('a'), session('s1'))).toBe(
        'connected',
      );
      expect(await store.users.findPassword('ada')).toBe(null);
      expect((await store.users.listUsers()).map(({ hasPassword }) => hasPassword)).toEqual([false, false]);
    });

    test('tells those who listen to sessions of every change', async () => {
      let told = 0;
      store.admin.onSessionChange(() => told++);
      // Of all that was changed before.
      await expect.poll(() => told).toBe(1);
      const changes = [
        () => store.signOns.redeemLinkBySignOn('link of ada', account('a'), session('s1')),
        () => store.signOns.startSessionBySignOn(account('a'), session('s2')),
        () => store.signOns.connectSignOn('ada', account('b')),
        () => store.signOns.disconnectSignOn('ada', issuer),
      ];
      for (const [i, change] of changes.entries()) {
        await change();
        await expect.poll(() => [change.toString(), told]).toEqual([change.toString(), i + 2]);
      }
    });
  });
}
