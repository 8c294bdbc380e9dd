import { hash } from 'node:crypto';
import type { ProjectSettings } from '../../../shared/project/project.ts';
import {
  type FaultKind,
  type FaultReply,
  type FaultState,
  faultKinds,
  faultStates,
  type Severity,
  type WorklistQuery,
  type WorklistReply,
} from '../../../shared/reports/faults.ts';
import { renamedPath } from '../../counting/page/renamed.ts';
import { isAtWork, type JobOfFault, type KeptFault } from '../../store/jobs/faults.ts';
import type { Store } from '../../store/store.ts';
import { jobFor } from '../gaps.ts';
import { type FoundFault, findFaults, type Looking, titles } from './found-faults.ts';
import { mergeDays, readCounted, readOutcome } from './outcome.ts';

interface Worklist extends Looking, Pick<ProjectSettings, 'renamedPaths'> {
  store: Store;
}

/** The number of a fault: of its kind and path. */
export const idOf = ({ kind, path }: { kind: FaultKind; path: string }) =>
  `fault_${hash('sha256', `${kind}\t${path}`).slice(0, 24)}`;

/** A fault, as it is found now, as somebody decided about it, or both. */
interface Known {
  id: string;
  found: FoundFault | undefined;
  kept: KeptFault | undefined;
  job: JobOfFault | null;
}

/** What is wrong with pages, and what was done about it: what is to be done first. */
export async function readWorklist(worklist: Worklist): Promise<FaultReply[]> {
  const { store, projectId, today, renamedPaths } = worklist;
  const [found, kept, jobsOf, annotations] = await Promise.all([
    findFaults(worklist),
    store.jobs.listFaults(projectId),
    readJobsOf(store, projectId),
    store.annotations.listAnnotations({ projectId, from: today - mergeDays, to: null }),
  ]);
  const mergeDayOf = new Map(annotations.map(({ url, day }) => [url, day]));
  const foundById = new Map(found.map((fault) => [idOf(fault), fault]));
  const keptById = new Map(kept.map((fault) => [fault.id, fault]));
  const known = [...new Set([...foundById.keys(), ...keptById.keys()])].map((id): Known => {
    const [fault, decided] = [foundById.get(id), keptById.get(id)];
    const jobs = [decided?.job ?? null, ...jobsOf((fault ?? decided) as { kind: FaultKind; path: string })];
    return { id, found: fault, kept: decided, job: jobThatCounts(jobs.filter((job) => job !== null)) };
  });
  const merged = known.flatMap(({ id, found: fault, kept: decided, job }) => {
    const day = job?.merged ? mergeDayOf.get(job.prLink) : undefined;
    const { kind, path: then } = (fault ?? decided) as { kind: FaultKind; path: string };
    const path = renamedPath(then, { renamedPaths });
    return day === undefined || (job && isAtWork(job)) ? [] : [{ id, kind, path, day }];
  });
  const counted = await readCounted(worklist, merged);
  const outcomes = new Map(merged.map((fault) => [fault.id, readOutcome(fault, counted, today)]));
  return known
    .map((fault) => toRow(fault, outcomes.get(fault.id)))
    .filter(({ title, state }) => title !== null || state !== 'open')
    .sort(
      (a, b) =>
        faultStates.indexOf(a.state) - faultStates.indexOf(b.state) ||
        severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
        b.readers - a.readers ||
        (a.path < b.path ? -1 : 1),
    );
}

/** Jobs of a fault that were started elsewhere: from the prompt of a gap, or by an automation, for its path. */
async function readJobsOf(store: Store, projectId: string) {
  const [asked, ofPaths] = await Promise.all([
    store.jobs.listAsked(projectId),
    store.jobs.listJobsOfPaths(projectId),
  ]);
  const byId = new Map(asked.map((job) => [job.id, job]));
  return ({ kind, path }: { kind: FaultKind; path: string }): (JobOfFault | null)[] => {
    const automated = ofPaths.find((one) => one.path === path && byId.has(one.job));
    return [jobFor(path, asked, titles[kind]), (automated && byId.get(automated.job)) ?? null];
  };
}

const jobThatCounts = (jobs: readonly JobOfFault[]): JobOfFault | null =>
  jobs.find(isAtWork) ?? jobs.find(({ merged }) => merged) ?? jobs[0] ?? null;

const severities: readonly Severity[] = ['high', 'medium', 'low'];
const [manyReaders, someReaders] = [100, 20];

function severityOf({ kind, readers }: Pick<FoundFault, 'kind' | 'readers'>): Severity {
  const rank = readers >= manyReaders ? 0 : readers >= someReaders ? 1 : 2;
  return severities[Math.min(2, rank + (kind === 'ai_heavy' ? 1 : 0))] as Severity;
}

function toRow(
  { id, found, kept, job }: Known,
  merged: ReturnType<typeof readOutcome> | undefined,
): FaultReply {
  const { kind, path, evidence } = (found ?? kept) as FoundFault | KeptFault;
  const readers = found?.readers ?? 0;
  const state = stateOf(kept, job, merged?.state);
  return {
    ...{ id, path, kind, state, readers, evidence },
    severity: severityOf({ kind, readers }),
    detail: found?.detail ?? '',
    title: found?.title ?? null,
    prompt: found?.prompt ?? null,
    assignee: kept?.assignee ?? null,
    dismissedBy: kept?.dismissedBy ?? null,
    dismissedAt: kept?.dismissedAt ? new Date(kept.dismissedAt).toISOString() : null,
    job: job && { id: job.id, status: job.status, prLink: job.prLink, merged: job.merged },
    outcome: merged?.outcome ?? null,
    says: merged?.says ?? null,
  };
}

function stateOf(
  kept: KeptFault | undefined,
  job: JobOfFault | null,
  merged: FaultState | undefined,
): FaultState {
  if (kept?.dismissedAt) return 'dismissed';
  if (job && isAtWork(job)) return job.status === 'active' ? 'job_running' : 'pull_request';
  return merged ?? 'open';
}

/** Whether a job may be started for it. */
export const isToFix = ({ state, prompt }: Pick<FaultReply, 'state' | 'prompt'>): boolean =>
  prompt !== null && (state === 'open' || state === 'no_change');

/** Those asked for, and how many there are of each state and kind. */
export function chooseFaults(
  faults: readonly FaultReply[],
  { kind, state }: Pick<WorklistQuery, 'kind' | 'state'>,
): Pick<WorklistReply, 'faults' | 'states' | 'kinds'> {
  const isOfKind = (fault: FaultReply) => kind === undefined || fault.kind === kind;
  const isInState = (fault: FaultReply) =>
    state === undefined ? fault.state !== 'dismissed' : fault.state === state;
  const ofKind = faults.filter(isOfKind);
  const inState = faults.filter(isInState);
  const count = <Name extends string>(
    names: readonly Name[],
    rows: readonly FaultReply[],
    nameOf: (fault: FaultReply) => Name,
  ) => {
    const found = names.map((name) => [name, rows.filter((fault) => nameOf(fault) === name).length] as const);
    return Object.fromEntries(found.filter(([, there]) => there > 0)) as Partial<Record<Name, number>>;
  };
  return {
    faults: ofKind.filter(isInState),
    states: count(faultStates, ofKind, (fault) => fault.state),
    kinds: count(faultKinds, inState, (fault) => fault.kind),
  };
}
