import { isDeepStrictEqual } from 'node:util';
import {
  type AutomationPatch,
  automationSettings,
  isSchedule,
  type NewAutomation,
} from '../../../shared/jobs/automation.ts';
import type { AutomationReply, RunsReply } from '../../../shared/replies/automation.ts';
import { ApiError } from '../../errors.ts';
import { parse } from '../../http/parse.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import {
  type Automation,
  type AutomationRun,
  type AutomationStore,
  maxAutomations,
} from '../../store/jobs/automations.ts';
import { notStarted } from './automation-watch.ts';
import { nextDue, type Schedule } from './timetable.ts';

export interface ProjectAutomations {
  store: AutomationStore;
  project: Pick<LiveProject, 'id' | 'settings'>;
  now: number;
}

/** @throws ApiError `invalid` where there are too many */
export async function addAutomation(
  within: ProjectAutomations,
  { enabled, ...settings }: NewAutomation,
): Promise<AutomationReply> {
  const { store, project, now } = within;
  const automation: Automation = {
    projectId: project.id,
    id: `auto_${randomText(12)}`,
    settings,
    createdAt: now,
    onSince: enabled ? now : null,
  };
  const outcome = await store.addAutomation(automation);
  if (outcome === 'gone') throw new ApiError('not_found', 'The project was removed.');
  if (outcome === 'full') {
    const most = `The project has ${maxAutomations} automations, which is the most`;
    throw new ApiError('invalid', `${most}: remove some first.`);
  }
  return toReply(within, automation);
}

/** What is left out stays. @throws ApiError */
export async function changeAutomation(
  within: ProjectAutomations,
  id: string,
  { enabled, ...patch }: AutomationPatch,
): Promise<AutomationReply> {
  const { store, project, now } = within;
  const before = await findAutomation(within, id);
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const settings = parse(automationSettings, { ...before.settings, ...given }, 'The automation');
  const isOn = enabled ?? before.onSince !== null;
  // Times that were set anew count from now on, so that none of today is made up for.
  const isSame = isDeepStrictEqual(settings.when, before.settings.when) && before.onSince !== null;
  const onSince = isOn ? (isSame ? before.onSince : now) : null;
  if (!(await store.setAutomation({ projectId: project.id, id, settings, onSince }))) throw noAutomation();
  return toReply(within, { ...before, settings, onSince });
}

/** @throws ApiError `not_found` */
export async function findAutomation(
  { store, project }: ProjectAutomations,
  id: string,
): Promise<Automation> {
  const found = (await store.listAutomations(project.id)).find((automation) => automation.id === id);
  if (!found) throw noAutomation();
  return found;
}

export function noAutomation(): ApiError {
  return new ApiError('not_found', 'The project has no such automation: it may have been removed.');
}

export async function listAutomations(within: ProjectAutomations): Promise<AutomationReply[]> {
  const automations = await within.store.listAutomations(within.project.id);
  return Promise.all(automations.map((automation) => toReply(within, automation)));
}

async function toReply(
  { store, project, now }: ProjectAutomations,
  { id, settings, createdAt, onSince }: Automation,
): Promise<AutomationReply> {
  const { rows } = await store.listRuns({ projectId: project.id, id, limit: 1, offset: 0 });
  const { when } = settings;
  const hasNext = onSince !== null && isSchedule(when);
  return {
    id,
    ...settings,
    enabled: onSince !== null,
    createdAt: new Date(createdAt).toISOString(),
    nextAt: hasNext
      ? new Date(nextDue(when as Schedule, project.settings.timeZone, now).at).toISOString()
      : null,
    lastRun: rows[0] ? toRunReply(rows[0]) : null,
  };
}

export function toRunReply({ key, at, jobId, reason }: AutomationRun): RunsReply['runs'][number] {
  return { at: new Date(at).toISOString(), about: key === notStarted ? null : key, jobId, reason };
}
