import type { AuditAction } from '../../shared/accounts/audit-actions.ts';
import { administrator } from '../../shared/accounts/user.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Store } from '../store/store.ts';
import type { AuditList } from './audit-list.ts';

const theAdministrator: Actor = { kind: 'administrator', id: null, name: null };

type PasswordChanges = Pick<Store['admin'], 'resetPassword' | 'changePassword' | 'redeemSetup'>;

export function passwordChanges({ callAudited }: Store, list: AuditList): PasswordChanges {
  const changed = { action: 'password.changed', subject: administrator } as const;
  return {
    resetPassword: (...args) => callAudited('admin', 'resetPassword', args, list.entries(changed)),
    changePassword: (...args) => callAudited('admin', 'changePassword', args, list.entries(changed)),
    redeemSetup: (...args) =>
      callAudited(
        'admin',
        'redeemSetup',
        args,
        list.entries({ ...changed, actor: theAdministrator, changes: ['by the one-time link'] }),
      ),
  };
}

export function factorChanges(
  { callAudited, users }: Store,
  list: AuditList,
): Omit<Store['factors'], 'findFactor' | 'spendProof'> {
  const entry = async (action: AuditAction, userId: string | null) =>
    list.entries({ action, subject: userId === null ? administrator : await nameOfUser(users, userId) });
  return {
    addFactor: async (...args) =>
      callAudited('factors', 'addFactor', args, await entry('factor.added', args[0])),
    replaceRecoveryCodes: async (...args) =>
      callAudited('factors', 'replaceRecoveryCodes', args, await entry('factor.changed', args[0])),
    removeFactor: async (...args) =>
      callAudited('factors', 'removeFactor', args, await entry('factor.removed', args[0])),
  };
}

type SignOnChanges = Pick<Store['signOns'], 'connectSignOn' | 'redeemLinkBySignOn' | 'disconnectSignOn'>;

export function signOnChanges(
  { callAudited, users }: Store,
  list: AuditList,
  now: () => number,
): SignOnChanges {
  const connected = 'sign_on.connected';
  return {
    connectSignOn: async (...args) => {
      const subject = await nameOfUser(users, args[0]);
      return callAudited('signOns', 'connectSignOn', args, list.entries({ action: connected, subject }));
    },
    redeemLinkBySignOn: async (...args) => {
      const userId = (await users.findLink(args[0], now())) ?? '';
      const subject = await nameOfUser(users, userId);
      const actor: Actor = { kind: 'user', id: userId, name: subject };
      const entries = list.entries({ action: connected, subject, actor, changes: ['by the link'] });
      return callAudited('signOns', 'redeemLinkBySignOn', args, entries);
    },
    disconnectSignOn: async (...args) => {
      const subject = await nameOfUser(users, args[0]);
      const entries = list.entries({ action: 'sign_on.disconnected', subject });
      return callAudited('signOns', 'disconnectSignOn', args, entries);
    },
  };
}

async function nameOfUser({ listUsers }: Pick<Store['users'], 'listUsers'>, userId: string): Promise<string> {
  return (await listUsers()).find(({ id }) => id === userId)?.name ?? userId;
}

type UserChanges = Pick<Store['users'], 'redeemLink' | 'changePassword'>;

export function userChanges({ callAudited, users }: Store, list: AuditList, now: () => number): UserChanges {
  const entry = async (action: AuditAction, userId: string, changes: string[] = []) =>
    list.entries({ action, subject: await nameOfUser(users, userId), changes });
  return {
    redeemLink: async (...args) => {
      const userId = (await users.findLink(args[0], now())) ?? '';
      const subject = await nameOfUser(users, userId);
      const actor: Actor = { kind: 'user', id: userId, name: subject };
      const entries = list.entries({ action: 'password.changed', subject, actor, changes: ['by the link'] });
      return callAudited('users', 'redeemLink', args, entries);
    },
    changePassword: async (...args) =>
      callAudited('users', 'changePassword', args, await entry('password.changed', args[0])),
  };
}
