import type { AuditAction } from '../../shared/accounts/audit-actions.ts';
import type { ProjectRole } from '../../shared/accounts/role.ts';
import { administrator } from '../../shared/accounts/user.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Store } from '../store/store.ts';
import type { AuditList } from './audit-list.ts';

const theAdministrator: Actor = { kind: 'administrator', id: null, name: null };

type PasswordChanges = Pick<Store['admin'], 'resetPassword' | 'changePassword' | 'redeemSetup'>;

export function passwordChanges({ admin }: Store, list: AuditList): PasswordChanges {
  const changed = { action: 'password.changed', subject: administrator } as const;
  return {
    resetPassword: async (password) => {
      await admin.resetPassword(password);
      await list.add(changed);
    },
    changePassword: async (...passwords) => list.addIf(await admin.changePassword(...passwords), changed),
    redeemSetup: async (...link) =>
      list.addIf(await admin.redeemSetup(...link), {
        ...changed,
        actor: theAdministrator,
        changes: ['by the one-time link'],
      }),
  };
}

export function factorChanges(
  { factors, users }: Store,
  list: AuditList,
): Omit<Store['factors'], 'findFactor' | 'spendProof'> {
  const nameOf = async (userId: string | null) =>
    userId === null ? administrator : nameOfUser(users, userId);
  const noteIf = async (isDone: boolean, action: AuditAction, userId: string | null) =>
    list.addIf(isDone, { action, subject: await nameOf(userId) });
  return {
    addFactor: async (userId, ...factor) =>
      noteIf(await factors.addFactor(userId, ...factor), 'factor.added', userId),
    replaceRecoveryCodes: async (userId, ...codes) =>
      noteIf(await factors.replaceRecoveryCodes(userId, ...codes), 'factor.changed', userId),
    removeFactor: async (userId, proof) => {
      const action = proof === null ? 'factor.reset' : 'factor.removed';
      return noteIf(await factors.removeFactor(userId, proof), action, userId);
    },
  };
}

type SignOnChanges = Pick<Store['signOns'], 'connectSignOn' | 'redeemLinkBySignOn' | 'disconnectSignOn'>;

export function signOnChanges({ signOns, users }: Store, list: AuditList, now: () => number): SignOnChanges {
  const connected = 'sign_on.connected';
  return {
    connectSignOn: async (userId, signOn) => {
      const outcome = await signOns.connectSignOn(userId, signOn);
      const subject = await nameOfUser(users, userId);
      await list.addIf(outcome === 'connected', { action: connected, subject });
      return outcome;
    },
    redeemLinkBySignOn: async (hash, ...rest) => {
      const userId = (await users.findLink(hash, now())) ?? '';
      const name = await nameOfUser(users, userId);
      const outcome = await signOns.redeemLinkBySignOn(hash, ...rest);
      const actor: Actor = { kind: 'user', id: userId, name };
      const changes = ['by the link'];
      await list.addIf(outcome === 'connected', { action: connected, subject: name, actor, changes });
      return outcome;
    },
    disconnectSignOn: async (userId, issuer) =>
      list.addIf(await signOns.disconnectSignOn(userId, issuer), {
        action: 'sign_on.disconnected',
        subject: await nameOfUser(users, userId),
      }),
  };
}

async function nameOfUser({ listUsers }: Pick<Store['users'], 'listUsers'>, userId: string): Promise<string> {
  return (await listUsers()).find(({ id }) => id === userId)?.name ?? userId;
}

type UserChanges = Omit<
  Store['users'],
  'listUsers' | 'findLink' | 'findPassword' | 'startSession' | 'endSessions'
>;

export function userChanges({ users }: Store, list: AuditList, now: () => number): UserChanges {
  const nameOf = (userId: string) => nameOfUser(users, userId);
  return {
    addUser: async (user, link) =>
      list.addIf(await users.addUser(user, link), {
        action: 'user.added',
        subject: user.name,
        changes: describeRoles(user.roles),
      }),
    setRoles: async (userId, roles) =>
      list.addIf(await users.setRoles(userId, roles), {
        action: 'user.changed',
        subject: await nameOf(userId),
        changes: describeRoles(roles),
      }),
    removeUser: async (userId) => {
      const subject = await nameOf(userId);
      return list.addIf(await users.removeUser(userId), { action: 'user.removed', subject });
    },
    offerLink: async (userId, link) =>
      list.addIf(await users.offerLink(userId, link), {
        action: 'user.linked',
        subject: await nameOf(userId),
      }),
    redeemLink: async (hash, ...rest) => {
      const userId = (await users.findLink(hash, now())) ?? '';
      const name = await nameOf(userId);
      return list.addIf(await users.redeemLink(hash, ...rest), {
        action: 'password.changed',
        subject: name,
        actor: { kind: 'user', id: userId, name },
        changes: ['by the link'],
      });
    },
    changePassword: async (userId, ...passwords) =>
      list.addIf(await users.changePassword(userId, ...passwords), {
        action: 'password.changed',
        subject: await nameOf(userId),
      }),
  };
}

/** Such as `editor of 4fx0…`. */
function describeRoles(roles: readonly ProjectRole[]): string[] {
  return roles.map(({ projectId, role }) => `${role} of ${projectId ?? 'all projects'}`);
}
