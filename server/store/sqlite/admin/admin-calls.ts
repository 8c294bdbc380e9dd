import type { AdminStore } from '../../admin-store.ts';
import type { Connection } from '../connection.ts';
import type { Thread } from '../thread/thread.ts';
import { AdminReader, AdminWriter } from './admin.ts';

// biome-ignore lint/suspicious/noExplicitAny: as in engine.ts; the function below is typed by what it calls
type Operations = Record<string, (...args: any[]) => unknown>;

/** What the writing thread does for `AdminStore`. */
export function adminWrites(db: Connection): Operations {
  const admin = new AdminWriter(db);
  return {
    offerSetup: (...args: Parameters<AdminWriter['offerSetup']>) => admin.offerSetup(...args),
    redeemSetup: (...args: Parameters<AdminWriter['redeemSetup']>) => admin.redeemSetup(...args),
    resetPassword: (password: string) => admin.resetPassword(password),
    changePassword: (...args: Parameters<AdminWriter['changePassword']>) => admin.changePassword(...args),
    startSession: (...args: Parameters<AdminWriter['startSession']>) => admin.startSession(...args),
    touchSession: (...args: Parameters<AdminWriter['touchSession']>) => admin.touchSession(...args),
    endSession: (hash: string) => admin.endSession(hash),
    endSessions: () => admin.endSessions(),
    forgetSessions: (before: number) => admin.forgetSessions(before),
    addLink: (...args: Parameters<AdminWriter['addLink']>) => admin.addLink(...args),
    removeLink: (...args: Parameters<AdminWriter['removeLink']>) => admin.removeLink(...args),
    markKeys: (...args: Parameters<AdminWriter['markKeys']>) => admin.markKeys(...args),
  };
}

/** What the reading thread does for it. */
export function adminReads(db: Connection): Operations {
  const admin = new AdminReader(db);
  return {
    readPassword: () => admin.readPassword(),
    isSetupOpen: (...args: Parameters<AdminReader['isSetupOpen']>) => admin.isSetupOpen(...args),
    keyUses: () => admin.keyUses(),
  };
}

/** The side of the callers. */
export function callAdminStore(writer: Thread, reader: Thread): AdminStore {
  return {
    readPassword: () => reader.call('readPassword'),
    offerSetup: (...args) => writer.call('offerSetup', ...args),
    isSetupOpen: (...args) => reader.call('isSetupOpen', ...args),
    redeemSetup: (...args) => writer.call('redeemSetup', ...args),
    resetPassword: (password) => writer.call('resetPassword', password),
    changePassword: (...args) => writer.call('changePassword', ...args),
    startSession: (...args) => writer.call('startSession', ...args),
    touchSession: (...args) => writer.call('touchSession', ...args),
    endSession: (hash) => writer.call('endSession', hash),
    endSessions: () => writer.call('endSessions'),
    forgetSessions: (before) => writer.call('forgetSessions', before),
    addLink: (link) => writer.call('addLink', link),
    removeLink: (...args) => writer.call('removeLink', ...args),
    markKeys: (uses) => writer.call('markKeys', uses),
    keyUses: () => reader.call('keyUses'),
  };
}
