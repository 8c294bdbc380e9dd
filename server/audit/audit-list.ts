import { isDeepStrictEqual } from 'node:util';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { Actor, AuditEntry } from '../store/admin/audit.ts';
import type { CatalogueStore } from '../store/admin/catalogue.ts';
import type { EncryptedSecrets, Key, Project } from '../store/projects.ts';
import type { Store } from '../store/store.ts';

export type Change = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** Entries for `Store.callAudited`, which notes them with the change itself. */
export type AuditEntries = (...changes: Change[]) => AuditEntry[];

/** Somebody who runs a command on the server. */
export const commandLine: Actor = { kind: 'command', id: null, name: null };

/** The actor of changes that the server makes by itself. */
export const theServer: Actor = { kind: 'server', id: null, name: null };

const nobody: Actor = { kind: 'user', id: null, name: null };

/** What somebody changes. @param actor null: nobody knows yet, as with links that set a password */
export function auditing(actor: Actor | null, now: () => number) {
  const noted = new Set<string>();
  /** Actor and time, for entries that a call makes by itself. */
  const by = () => ({ at: now(), actor: actor ?? nobody });
  const entries: AuditEntries = (...changes) =>
    changes.map((change) => ({ ...by(), projectId: null, changes: [], ...change }));
  return {
    by,
    entries,
    /** The same of what one command or request does step by step: with the first step that changes something. */
    async once<Result>(
      change: Change,
      step: (entries: AuditEntry[]) => Promise<Result>,
      hasChanged: (result: Result) => boolean,
    ): Promise<Result> {
      const key = JSON.stringify(change);
      const result = await step(noted.has(key) ? [] : entries(change));
      if (hasChanged(result)) noted.add(key);
      return result;
    },
  };
}

/** Where catalogues are kept, by whom they are loaded. */
export function auditedCatalogues(
  { catalogue, callAudited }: Pick<Store, 'catalogue' | 'callAudited'>,
  actor: Actor,
  now: () => number,
): CatalogueStore {
  return {
    ...catalogue,
    keepCatalogue: (kept, instead) => {
      const { entries } = auditing(actor, now);
      const loaded = entries({ action: 'catalogue.loaded', subject: String(kept.version) });
      return callAudited('catalogue', 'keepCatalogue', [kept, instead], loaded);
    },
  };
}

/** The audit entry of a new key. */
export const keyAdded = ({ projectId, name, scope, expiresAt, networks }: Key): Change => ({
  action: 'key.added',
  projectId,
  subject: name,
  changes: [
    `scope: ${scope}`,
    ...(expiresAt === null ? [] : [`expiresAt: ${expiresAt}`]),
    ...(networks.length === 0 ? [] : [`networks: ${networks.length}`]),
  ],
});

/** The changes of settings and secrets: of secrets the names, never the values. */
export function projectChanged(
  { id: projectId, settings: before }: Project,
  settings: ProjectSettings,
  secrets: EncryptedSecrets = {},
): Change[] {
  const about = { projectId, subject: settings.name };
  const changed = {
    'project.changed': settingChanges(before, settings),
    'secrets.changed': Object.entries(secrets).map(
      ([name, encrypted]) => `${name}: ${encrypted === null ? 'removed' : 'set'}`,
    ),
  } as const;
  return Object.entries(changed).flatMap(([action, changes]) =>
    changes.length > 0 ? [{ action: action as keyof typeof changed, ...about, changes }] : [],
  );
}

const maxText = 200;

/** Settings that differ: short ones with both values, lists by their names alone, as they hold commands and addresses. */
function settingChanges(before: ProjectSettings, after: ProjectSettings): string[] {
  const names = Object.keys(after) as (keyof ProjectSettings)[];
  return names
    .filter((name) => name !== 'seenHosts' && !isDeepStrictEqual(before[name], after[name]))
    .map((name) => {
      const [from, to] = [before[name], after[name]].map(toText);
      return from === undefined || to === undefined ? name : `${name}: ${from} → ${to}`;
    });
}

function toText(value: unknown): string | undefined {
  if (value === null) return 'none';
  return typeof value === 'object' ? undefined : String(value).slice(0, maxText);
}
