import { fromDay } from '../counting/calendar.ts';
import type { Actor } from '../store/admin/audit.ts';
import type { Started } from '../store/jobs/jobs.ts';
import type { NewJob } from '../store/jobs/requests.ts';
import { type EncryptedSecrets, endingWith, type Key } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { factorChanges, passwordChanges, signOnChanges, userChanges } from './account-changes.ts';
import { AuditList, type Change } from './audit-list.ts';
import { automationChanges } from './automation-changes.ts';
import { settingChanges } from './setting-changes.ts';
import { historyChanges, logChanges, searchChanges } from './taken-in.ts';

/** Somebody who runs a command on the server. */
export const commandLine: Actor = { kind: 'command', id: null, name: null };

/** What the server does by itself. */
export const theServer: Actor = { kind: 'server', id: null, name: null };

const nobody: Actor = { kind: 'user', id: null, name: null };

/**
 * The store for one who changes something: all that the audit list is about is noted there as theirs. What fails after a
 * change, and before it is noted, is answered as a failure.
 *
 * @param actor null: nobody knows yet, as with links that set a password
 */
export function auditedStore(store: Store, actor: Actor | null, now: () => number): Store {
  const list = new AuditList(store, actor ?? nobody, now);
  return {
    ...store,
    ...projectChanges(store, list),
    admin: { ...store.admin, ...passwordChanges(store, list) },
    users: { ...store.users, ...userChanges(store, list, now) },
    factors: { ...store.factors, ...factorChanges(store, list) },
    signOns: { ...store.signOns, ...signOnChanges(store, list, now) },
    catalogue: { ...store.catalogue, ...catalogueChanges(store, list) },
    jobs: { ...store.jobs, ...jobChanges(store, list) },
    automations: { ...store.automations, ...automationChanges(store, list) },
    marks: { ...store.marks, ...markChanges(store, list) },
    paths: { ...store.paths, ...pathChanges(store, list) },
    imports: logChanges(store, list),
    history: { ...store.history, ...historyChanges(store, list) },
    searches: { ...store.searches, ...searchChanges(store, list) },
    retention: { ...store.retention, ...dayChanges(store, list) },
  };
}

type ProjectChanges = Pick<
  Store,
  'addProject' | 'setProject' | 'removeProject' | 'addKey' | 'revokeKey' | 'addLink' | 'removeLink'
>;

function projectChanges(store: Store, list: AuditList): ProjectChanges {
  return {
    addProject: async (project, keys) => {
      await store.addProject(project, keys);
      const { id: projectId, settings } = project;
      await list.add({ action: 'project.added', projectId, subject: settings.name });
      for (const key of keys) await list.add(addedKey(key));
    },
    setProject: async (projectId, settings, secrets = {}) => {
      const before = await findProject(store, projectId);
      if (!(await store.setProject(projectId, settings, secrets)) || !before) return false;
      const about = { projectId, subject: settings.name };
      const changes = settingChanges(before.settings, settings);
      await list.addIf(changes.length > 0, { action: 'project.changed', ...about, changes });
      const names = secretChanges(secrets);
      await list.addIf(names.length > 0, { action: 'secrets.changed', ...about, changes: names });
      return true;
    },
    removeProject: async (projectId) => {
      const before = await findProject(store, projectId);
      const subject = before?.settings.name ?? projectId;
      return list.addIf(await store.removeProject(projectId), {
        action: 'project.removed',
        projectId,
        subject,
      });
    },
    addKey: async (key) => list.addIf(await store.addKey(key), addedKey(key)),
    revokeKey: async (keyId) => {
      const ending = endingWith((await store.directory()).keys, keyId);
      const isRevoked = await store.revokeKey(keyId);
      for (const { projectId, name, maker } of ending) {
        const changes = maker?.kind === 'key' ? [`made by: ${maker.name}`] : [];
        await list.addIf(isRevoked, { action: 'key.revoked', projectId, subject: name, changes });
      }
      return isRevoked;
    },
    addLink: async (link) => {
      const { projectId, id, kind } = link;
      const entry: Change = { action: 'link.added', projectId, subject: id, changes: [`kind: ${kind}`] };
      return list.addIf(await store.addLink(link), entry);
    },
    removeLink: async (projectId, linkId) =>
      list.addIf(await store.removeLink(projectId, linkId), {
        action: 'link.revoked',
        projectId,
        subject: linkId,
      }),
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

function jobChanges(
  { jobs }: Store,
  list: AuditList,
): Pick<Store['jobs'], 'createJob' | 'startJob' | 'addMessage' | 'revertMerge' | 'archiveJob'> {
  const noteStarted = async <Answer extends Started>(accepted: Answer, { projectId, id }: NewJob) => {
    const entry = { action: 'job.started', projectId, subject: id } as const;
    await list.addIf(accepted.kind === 'accepted', entry);
    return accepted;
  };
  return {
    createJob: async (job, ...rest) => noteStarted(await jobs.createJob(job, ...rest), job),
    startJob: async (job, start) => noteStarted(await jobs.startJob(job, start), job),
    addMessage: async (projectId, jobId, ...rest) => {
      const accepted = await jobs.addMessage(projectId, jobId, ...rest);
      const entry = { action: 'job.continued', projectId, subject: jobId } as const;
      await list.addIf(accepted.kind === 'accepted', entry);
      return accepted;
    },
    revertMerge: async (job, comment) => {
      const outcome = await jobs.revertMerge(job, comment);
      if (outcome.kind !== 'accepted') return outcome;
      const action = outcome.job.id === job.id ? 'job.started' : 'job.continued';
      await list.add({ action, projectId: job.projectId, subject: outcome.job.id });
      return outcome;
    },
    archiveJob: async (projectId, jobId) => {
      const before = await jobs.findJob(projectId, jobId);
      const archived = await jobs.archiveJob(projectId, jobId);
      const isNew = archived !== null && before?.status !== 'archived';
      await list.addIf(isNew, { action: 'job.archived', projectId, subject: jobId });
      return archived;
    },
  };
}

function markChanges({ marks }: Store, list: AuditList): Pick<Store['marks'], 'addMark' | 'removeMark'> {
  return {
    addMark: async (mark) => {
      const { projectId, text: subject, kind } = mark;
      const outcome = await marks.addMark(mark);
      const changes = [`kind: ${kind}`];
      await list.addIf(outcome === 'added', { action: 'mark.added', projectId, subject, changes });
      return outcome;
    },
    removeMark: async (projectId, id) => {
      const before = await marks.listMarks({ projectId, from: null, to: null });
      const subject = before.find((mark) => mark.id === id)?.text ?? id;
      return list.addIf(await marks.removeMark(projectId, id), {
        action: 'mark.removed',
        projectId,
        subject,
      });
    },
  };
}

/** How many, and never which: they may be what nobody shall know any more. */
function pathChanges(store: Store, list: AuditList): Pick<Store['paths'], 'move'> {
  return {
    move: async (projectId, moves) => {
      const project = await findProject(store, projectId);
      const isMoved = await store.paths.move(projectId, moves);
      const forgotten = moves.filter(({ to }) => to === null).length;
      const entry = { projectId, subject: project?.settings.name ?? projectId };
      const noteMany = (action: 'paths.folded' | 'paths.forgotten', count: number) =>
        list.addIf(isMoved && count > 0, { action, ...entry, changes: [`paths: ${count}`] });
      await noteMany('paths.forgotten', forgotten);
      await noteMany('paths.folded', moves.length - forgotten);
      return isMoved;
    },
  };
}

function catalogueChanges({ catalogue }: Store, list: AuditList): Pick<Store['catalogue'], 'keepCatalogue'> {
  return {
    keepCatalogue: async (kept, instead) =>
      list.addIf(await catalogue.keepCatalogue(kept, instead), {
        action: 'catalogue.loaded',
        subject: String(kept.version),
      }),
  };
}

function dayChanges(store: Store, list: AuditList): Pick<Store['retention'], 'finish'> {
  return {
    finish: async (projectId, cutoffs) => {
      const project = await findProject(store, projectId);
      await store.retention.finish(projectId, cutoffs);
      const { details, counts } = cutoffs;
      const changes = [
        ...(details === null ? [] : [`details before ${fromDay(details)}`]),
        ...(counts === null ? [] : [`all before ${fromDay(counts)}`]),
      ];
      const subject = project?.settings.name ?? projectId;
      await list.add({ action: 'days.forgotten', projectId, subject, changes });
    },
  };
}
