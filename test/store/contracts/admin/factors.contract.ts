import { describe, expect, test } from 'vitest';
import type { Session, StoredFactor } from '../../../../server/store/admin/factors.ts';
import type { Store } from '../../../../server/store/store.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const session = (hash: string): Session => ({ hash, createdAt: 1000, usedAt: 1000 });
const factor = (lastStep: number, ...recoveryCodes: string[]): StoredFactor => ({
  secret: Uint8Array.of(1, 0, 255),
  lastStep,
  recoveryCodes,
});

/** What every engine promises about second factors. */
export function testFactorStore(engine: Engine): void {
  describe.each([
    ['the administrator', null],
    ['a user', 'id of ada'],
  ])(`the ${engine.name} store of second factors, for %s`, (_, account) => {
    let store: Store;
    const signIn = (hash: string, ...proof: [object?]) =>
      account === null
        ? store.admin.startSession(session(hash), 'p', ...(proof as []))
        : store.users.startSession(account, session(hash), 'p', ...(proof as []));
    const sessions = async () => (await store.admin.readSignedIn()).sessions.map(({ hash }) => hash).sort();

    eachStore(engine, async (opened) => {
      store = opened;
      await store.admin.resetPassword('p');
      const link = { hash: 'link', expiresAt: 5000 };
      await store.users.addUser({ id: 'id of ada', name: 'ada', createdAt, roles: [] }, link);
      await store.users.redeemLink('link', 'p', session('of ada'));
      await store.admin.startSession(session('of the administrator'), 'p');
    });

    test('keeps one, whose start ends all other sessions of the account alone', async () => {
      await signIn('kept');
      expect(await store.factors.findFactor(account)).toBeNull();
      expect(await store.factors.addFactor(account, factor(7, 'a'), 'kept')).toBe(true);
      expect(await store.factors.addFactor(account, factor(9), 'kept')).toBe(false);
      expect(await store.factors.addFactor('nobody', factor(9), 'kept')).toBe(false);
      expect(await store.factors.findFactor(account)).toEqual(factor(7, 'a'));
      const other = account === null ? 'of ada' : 'of the administrator';
      expect(await sessions()).toEqual(['kept', other].sort());
      expect((await store.users.listUsers())[0]?.hasSecondFactor).toBe(account !== null);
      if (account === null) return;
      await store.users.removeUser(account);
      expect(await store.factors.findFactor(account)).toBeNull();
    });

    test('begins no session without a proof, nor twice with one', async () => {
      expect(await signIn('s0', { step: 8 })).toBe(false);
      await store.factors.addFactor(account, factor(7, 'a', 'b'), '');
      expect(await signIn('s1')).toBe(false);
      expect(await signIn('s2', { step: 7 })).toBe(false);
      expect(await signIn('s3', { recoveryCode: 'c' })).toBe(false);
      const both = await Promise.all(['s4', 's5'].map((hash) => signIn(hash, { step: 8 })));
      expect(both.toSorted()).toEqual([false, true]);
      const recovered = await Promise.all(['s6', 's7'].map((hash) => signIn(hash, { recoveryCode: 'b' })));
      expect(recovered.toSorted()).toEqual([false, true]);
      expect(await store.factors.findFactor(account)).toEqual(factor(8, 'a'));
      expect(await sessions()).toHaveLength(3);
    });

    test('tells whether a proof is good, once', async () => {
      expect(await store.factors.spendProof(account, { step: 8 })).toBe(false);
      await store.factors.addFactor(account, factor(7, 'a'), '');
      const both = await Promise.all([8, 8].map((step) => store.factors.spendProof(account, { step })));
      expect(both.toSorted()).toEqual([false, true]);
      expect(await store.factors.spendProof(account, { recoveryCode: 'a' })).toBe(true);
      expect(await store.factors.findFactor(account)).toEqual(factor(8));
    });

    test('begins none with a link that sets the password', async () => {
      await store.factors.addFactor(account, factor(7), '');
      if (account === null) {
        await store.admin.offerSetup('t', 5000);
        expect(await store.admin.redeemSetup('t', 'q', session('new'))).toBe(true);
      } else {
        await store.users.offerLink(account, { hash: 't', expiresAt: 5000 });
        expect(await store.users.redeemLink('t', 'q', session('new'))).toBe(true);
      }
      expect(await sessions()).toEqual([account === null ? 'of ada' : 'of the administrator']);
    });

    test('replaces recovery codes and removes it by a proof that is good, and removes it without', async () => {
      expect(await store.factors.removeFactor(account, null)).toBe(false);
      await store.factors.addFactor(account, factor(7, 'a'), '');
      expect(await store.factors.replaceRecoveryCodes(account, ['b', 'c'], { step: 7 })).toBe(false);
      expect(await store.factors.replaceRecoveryCodes(account, ['b', 'c'], { recoveryCode: 'a' })).toBe(true);
      expect(await store.factors.findFactor(account)).toEqual(factor(7, 'b', 'c'));
      expect(await store.factors.removeFactor(account, { recoveryCode: 'a' })).toBe(false);
      expect(await store.factors.removeFactor(account, { recoveryCode: 'c' })).toBe(true);
      expect(await store.factors.findFactor(account)).toBeNull();
      await store.factors.addFactor(account, factor(7), '');
      expect(await store.factors.removeFactor(account, null)).toBe(true);
      expect(await signIn('alone')).toBe(true);
    });

    test('tells those who listen to sessions of every change', async () => {
      let told = 0;
      store.admin.onSessionChange(() => told++);
      // Of all that was changed before.
      await expect.poll(() => told).toBe(1);
      const changes = [
        () => store.factors.addFactor(account, factor(7, 'a'), ''),
        () => store.factors.replaceRecoveryCodes(account, [], { step: 8 }),
        () => store.factors.removeFactor(account, null),
      ];
      for (const [i, change] of changes.entries()) {
        await change();
        await expect.poll(() => [change.toString(), told]).toEqual([change.toString(), i + 2]);
      }
    });
  });
}
