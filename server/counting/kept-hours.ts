import type { ProjectSettings } from '../../shared/project/project.ts';
import { Calendar, type Day } from './calendar.ts';

type Keeping = Pick<ProjectSettings, 'keepHoursDays' | 'timeZone'>;

/** The first of the days that keep their hours when they are sealed; null: none does. */
export function firstDayWithHours({ keepHoursDays, timeZone }: Keeping, now: number): Day | null {
  return keepHoursDays === null ? null : new Calendar(timeZone).dayOf(now) - keepHoursDays;
}
