import type { ProjectSettings } from '../../../shared/project/project.ts';
import { Calendar, fromDay, toDay } from '../../counting/calendar.ts';
import type { AuditEntry } from '../../store/admin/audit.ts';
import type { Project } from '../../store/projects.ts';
import type { Cutoffs } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';

type Keeping = Pick<ProjectSettings, 'keepDetailsMonths' | 'keepCountsMonths' | 'timeZone'>;

/** Which days a project no longer keeps at this moment. */
export function cutoffsOf({ keepDetailsMonths, keepCountsMonths, timeZone }: Keeping, now: number): Cutoffs {
  const today = fromDay(new Calendar(timeZone).dayOf(now));
  const before = (months: number | null) => (months === null ? null : toDay(today.subtract({ months })));
  return { details: before(keepDetailsMonths), counts: before(keepCountsMonths) };
}

/** With an entry in the audit log. Not for the server, which looks each minute: what a run that was killed has left goes as well. */
export async function forgetOldDays(
  { retention, callAudited, erase }: Pick<Store, 'retention' | 'callAudited' | 'erase'>,
  { id: projectId, settings }: Project,
  cutoffs: Cutoffs,
  by: Pick<AuditEntry, 'actor' | 'at'>,
): Promise<void> {
  const { details, counts } = cutoffs;
  if (details === null && counts === null) return;
  const changes = [
    ...(details === null ? [] : [`details before ${fromDay(details)}`]),
    ...(counts === null ? [] : [`all before ${fromDay(counts)}`]),
  ];
  const about = { projectId, subject: settings.name, changes };
  const entry: AuditEntry = { ...by, action: 'days.forgotten', ...about };
  const isDone = await callAudited('retention', 'forgetSome', [projectId, cutoffs, true], [entry]);
  const isAsked = by.actor.kind !== 'server';
  if (!isDone && !isAsked) return;
  while (await retention.forgetSome(projectId, cutoffs));
  await retention.finish(projectId, cutoffs, isAsked);
  await erase();
}
