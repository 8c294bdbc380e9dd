import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { readEffect } from '../insights/effect/effect.ts';
import { randomText } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import { newestJobs } from '../store/jobs/jobs.ts';
import type { Mark } from '../store/marks.ts';
import { describeUndo, writeEffect } from './effect-letter.ts';

/** Whole days after a merge; so long after each a server that was off still tells it. */
const stages = [14, 28] as const;
const latestDays = 7;

/** A pull request of which it is to be told what came of it. */
interface DueEffect {
  mark: Mark & { url: string };
  days: number;
}

/** Tells at pull requests that were merged how their pages are read since, each time once; the days are sealed by then. */
export async function tellEffects(
  { store, now }: Pick<Context, 'store' | 'now'>,
  project: LiveProject,
  sealedThrough: Day,
): Promise<void> {
  const { id: projectId, settings } = project;
  const due = findDue(await listMerges(store.marks, projectId, sealedThrough), sealedThrough);
  if (due.length === 0) return;
  const told = await store.outbox.findTold(projectId, due.map(keyOf));
  const { jobs } = await store.jobs.listJobs({ projectId, ...newestJobs });
  for (const one of due.filter((effect) => !told.includes(keyOf(effect)))) {
    const { url } = one.mark;
    const isTakenBack = jobs.some(({ reverts, merged }) => reverts === url && merged);
    const jobId = jobs.find(({ prLink }) => prLink === url)?.id;
    const undo = describeUndo({ projectId, jobId, ...settings });
    const letter = isTakenBack
      ? undefined
      : await readLetter(store, { id: projectId, name: settings.name }, one, undo);
    // Where there is nothing to compare, that is noted, and nobody is told.
    const { kind, title } = letter ?? { kind: '', title: '' };
    const receiver = {
      id: `msg_${randomText(20)}`,
      channel: 'pull_request',
      receiver: url,
    } as const;
    await store.outbox.tell({
      ...{ projectId, key: keyOf(one), kind, title, at: now() },
      letter: letter ? JSON.stringify(letter) : '',
      deliveries: letter ? [receiver] : [],
    });
  }
}

async function listMerges(
  marks: Context['store']['marks'],
  projectId: string,
  sealedThrough: Day,
): Promise<DueEffect['mark'][]> {
  const from = sealedThrough - Math.max(...stages) - latestDays;
  const found = await marks.listMarks({ projectId, from, to: sealedThrough });
  return found.flatMap((mark) =>
    mark.kind === 'merge' && mark.url !== null ? [{ ...mark, url: mark.url }] : [],
  );
}

/** Of each pull request one at most: what is due later says more. */
function findDue(merges: readonly DueEffect['mark'][], sealedThrough: Day): DueEffect[] {
  return merges.flatMap((mark) => {
    const passed = sealedThrough - mark.day;
    const days = stages.find((stage) => passed >= stage && passed < stage + latestDays);
    return days === undefined ? [] : [{ mark, days }];
  });
}

function keyOf({ mark, days }: DueEffect): string {
  return `effect ${days} ${mark.id}`;
}

/** Undefined where no changed page was read before, or the days before were not all counted. */
async function readLetter(
  store: Context['store'],
  project: { id: string; name: string },
  due: DueEffect,
  undo: string | undefined,
) {
  const { mark, days } = due;
  const firstDay = await store.firstDay(project.id);
  if (firstDay === null || firstDay > mark.day - days) return undefined;
  // As it was when these days were over, however late it is told.
  const effect = await readEffect(store, mark, mark.day + days + 1);
  return effect.touchedPages === 0 ? undefined : writeEffect(project, { ...due, effect, undo });
}
