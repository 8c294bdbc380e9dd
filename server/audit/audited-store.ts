import type { Actor } from '../store/admin/audit.ts';
import type { EncryptedSecrets, Key, Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { factorChanges, passwordChanges, signOnChanges, userChanges } from './account-changes.ts';
import { AuditList, type Change } from './audit-list.ts';
import { settingChanges } from './setting-changes.ts';
import { dayChanges, historyChanges, logChanges, pathChanges, searchChanges } from './taken-in.ts';

/** Somebody who runs a command on the server. */
export const commandLine: Actor = { kind: 'command', id: null, name: null };

/** What the server does by itself. */
export const theServer: Actor = { kind: 'server', id: null, name: null };

const nobody: Actor = { kind: 'user', id: null, name: null };

/**
 * The store for one who changes something: all that the audit list is about is noted there as theirs, in the transaction of
 * the change.
 *
 * @param actor null: nobody knows yet, as with links that set a password
 */
export function auditedStore(store: Store, actor: Actor | null, now: () => number): Store {
  const list = new AuditList(actor ?? nobody, now);
  return {
    ...store,
    ...projectChanges(store, list),
    admin: { ...store.admin, ...passwordChanges(store, list) },
    users: { ...store.users, ...userChanges(store, list, now) },
    factors: { ...store.factors, ...factorChanges(store, list) },
    signOns: { ...store.signOns, ...signOnChanges(store, list, now) },
    catalogue: { ...store.catalogue, ...catalogueChanges(store, list) },
    paths: { ...store.paths, ...pathChanges(store, list) },
    imports: { ...store.imports, ...logChanges(store, list) },
    history: { ...store.history, ...historyChanges(store, list) },
    searches: { ...store.searches, ...searchChanges(store, list) },
    retention: { ...store.retention, ...dayChanges(store, list) },
  };
}

type ProjectChanges = Pick<Store, 'addProject' | 'addFirstProject' | 'setProject' | 'removeProject'>;

function projectChanges(store: Store, list: AuditList): ProjectChanges {
  const { callAudited } = store;
  const added = ({ id: projectId, settings }: Project, keys: readonly Key[]) =>
    list.entries({ action: 'project.added', projectId, subject: settings.name }, ...keys.map(addedKey));
  return {
    addProject: (...args) => callAudited('projects', 'addProject', args, added(...args)),
    addFirstProject: (...args) => callAudited('projects', 'addFirstProject', args, added(...args)),
    setProject: async (projectId, settings, secrets = {}) => {
      const before = await findProject(store, projectId);
      if (!before) return false;
      const about = { projectId, subject: settings.name };
      const changes = settingChanges(before.settings, settings);
      const names = secretChanges(secrets);
      const entries: Change[] = [
        ...(changes.length > 0 ? [{ action: 'project.changed', ...about, changes } as const] : []),
        ...(names.length > 0 ? [{ action: 'secrets.changed', ...about, changes: names } as const] : []),
      ];
      return callAudited('projects', 'setProject', [projectId, settings, secrets], list.entries(...entries));
    },
    removeProject: async (projectId) => {
      const before = await findProject(store, projectId);
      const subject = before?.settings.name ?? projectId;
      const entries = list.entries({ action: 'project.removed', projectId, subject });
      return callAudited('projects', 'removeProject', [projectId], entries);
    },
  };
}

const addedKey = ({ projectId, name, scope, expiresAt, networks }: Key): Change => ({
  action: 'key.added',
  projectId,
  subject: name,
  changes: [
    `scope: ${scope}`,
    ...(expiresAt === null ? [] : [`expiresAt: ${expiresAt}`]),
    ...(networks.length === 0 ? [] : [`networks: ${networks.length}`]),
  ],
});

async function findProject(store: Store, projectId: string) {
  return (await store.directory()).projects.find(({ id }) => id === projectId);
}

/** Which of them, and never what they are. */
function secretChanges(secrets: EncryptedSecrets): string[] {
  return Object.entries(secrets).map(
    ([name, encrypted]) => `${name}: ${encrypted === null ? 'removed' : 'set'}`,
  );
}

function catalogueChanges(
  { callAudited }: Store,
  list: AuditList,
): Pick<Store['catalogue'], 'keepCatalogue'> {
  return {
    keepCatalogue: (kept, instead) => {
      const entries = list.entries({ action: 'catalogue.loaded', subject: String(kept.version) });
      return callAudited('catalogue', 'keepCatalogue', [kept, instead], entries);
    },
  };
}
