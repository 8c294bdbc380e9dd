import type { ProjectSettings } from '../../../shared/project/project.ts';
import { Calendar, fromDay, toDay } from '../../counting/calendar.ts';
import type { Cutoffs } from '../../store/retention.ts';
import type { Store } from '../../store/store.ts';

type Keeping = Pick<ProjectSettings, 'keepDetailsMonths' | 'keepCountsMonths' | 'timeZone'>;

/** Which days a project no longer keeps at this moment. */
export function cutoffsOf({ keepDetailsMonths, keepCountsMonths, timeZone }: Keeping, now: number): Cutoffs {
  const today = fromDay(new Calendar(timeZone).dayOf(now));
  const before = (months: number | null) => (months === null ? null : toDay(today.subtract({ months })));
  return { details: before(keepDetailsMonths), counts: before(keepCountsMonths) };
}

/** Answers whether there was anything to forget. */
export async function forgetOldDays(
  { retention, paths }: Pick<Store, 'retention' | 'paths'>,
  projectId: string,
  cutoffs: Cutoffs,
): Promise<boolean> {
  if (cutoffs.details === null && cutoffs.counts === null) return false;
  let isDone = false;
  while (await retention.forgetSome(projectId, cutoffs)) isDone = true;
  if (!isDone) return false;
  await retention.finish(projectId, cutoffs);
  await paths.erase();
  return true;
}
