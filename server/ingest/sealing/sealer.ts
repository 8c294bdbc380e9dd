import { theServer } from '../../audit/audit-list.ts';
import type { Context } from '../../context.ts';
import { Calendar } from '../../counting/calendar.ts';
import { firstDayWithHours } from '../../counting/kept-hours.ts';
import { periodically } from '../../periodic.ts';
import type { Project } from '../../store/projects.ts';
import { cutoffsOf, forgetOldDays } from './retention.ts';

const everyMs = 60_000;

/** Seals the days of the project that are due, in its time zone; none while the clock is not sure. */
export async function sealDueDaysOf(
  { store, ingest, clock }: Pick<Context, 'store' | 'clock'> & Partial<Pick<Context, 'ingest'>>,
  { id, settings }: Project,
): Promise<void> {
  const now = clock.now();
  if (!clock.isSure) return;
  const through = new Calendar(settings.timeZone).lastDueDay(now);
  ingest?.forgetSalts(id, through);
  await store.seal(id, through, firstDayWithHours(settings, now));
  await store.imports.seal(id, now, []);
}

/** Deletes visitors of all projects that are due, copies with days that are closed by now, and old receipts. */
export async function sealDueDays(context: Context): Promise<void> {
  const { store, registry, clock } = context;
  // First: once the day is closed, no data may identify a visitor.
  await store.nodes?.recent.forgetRecent();
  for (const project of registry.projects()) {
    await sealDueDaysOf(context, project);
    if (!clock.isSure) continue;
    const at = clock.now();
    await forgetOldDays(store, project, cutoffsOf(project.settings, at), { actor: theServer, at });
  }
  const now = clock.now();
  if (!clock.isSure) return;
  await store.deleteOldCopies(now);
  while (await store.forgetReceipts(now));
}

/** Closes days now, in case some became due while the server was off, and then every minute. Returns how to stop. */
export function keepSealing(context: Context): () => Promise<void> {
  const failure = 'Days could not be closed; retrying in a minute:';
  return periodically(() => sealDueDays(context), { everyMs, isDueNow: true, log: context.log, failure })
    .stop;
}
