import type { ProjectSettings } from '../../shared/project/project.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import { dateOf } from '../insights/days.ts';
import { type Effect, type EffectMeasure, readEffect } from '../insights/effect/effect.ts';
import { bound, percent, readerNames } from '../insights/effect/words.ts';
import { inCode } from '../jobs/text/markdown.ts';
import { program } from '../process/program.ts';
import { randomText } from '../projects/key.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Annotation } from '../store/annotations.ts';
import { newestJobs } from '../store/jobs/jobs.ts';
import { oneLine } from '../text/one-line.ts';
import { type Notification, writeCount } from './notification.ts';

/** Whole days after a merge. A server that was off posts each up to `latestDays` late. */
const stages = [14, 28] as const;
const latestDays = 7;

/** A pull request whose effect is due to be posted. */
interface DueEffect {
  annotation: Annotation & { url: string };
  days: number;
}

/** Posts the effect of merged pull requests as comments on them, once for each stage; its days are sealed by then. */
export async function postEffects(
  { store, now }: Pick<Context, 'store' | 'now'>,
  project: LiveProject,
  sealedThrough: Day,
): Promise<void> {
  const { id: projectId, settings } = project;
  const due = findDue(await listMerges(store.annotations, projectId, sealedThrough), sealedThrough);
  if (due.length === 0) return;
  const sent = await store.outbox.findAnnounced(projectId, due.map(keyOf));
  const { jobs } = await store.jobs.listJobs({ projectId, ...newestJobs });
  for (const one of due.filter((effect) => !sent.includes(keyOf(effect)))) {
    const { url } = one.annotation;
    const isTakenBack = jobs.some(({ reverts, merged }) => reverts === url && merged);
    const jobId = jobs.find(({ prLink }) => prLink === url)?.id;
    const undo = describeUndo({ projectId, jobId, ...settings });
    const notification = isTakenBack
      ? undefined
      : await readNotification(store, { id: projectId, name: settings.name }, one, undo);
    // Where there is nothing to compare, that is noted, and no comment is posted.
    const { kind, title } = notification ?? { kind: '', title: '' };
    const delivery = {
      id: `msg_${randomText(20)}`,
      channel: 'pull_request',
      receiver: url,
    } as const;
    await store.outbox.announce({
      ...{ projectId, key: keyOf(one), kind, title, at: now() },
      letter: notification ? JSON.stringify(notification) : '',
      deliveries: notification ? [delivery] : [],
    });
  }
}

async function listMerges(
  annotations: Context['store']['annotations'],
  projectId: string,
  sealedThrough: Day,
): Promise<DueEffect['annotation'][]> {
  const from = sealedThrough - Math.max(...stages) - latestDays;
  const found = await annotations.listAnnotations({ projectId, from, to: sealedThrough });
  return found.flatMap((annotation) =>
    annotation.kind === 'merge' && annotation.url !== null ? [{ ...annotation, url: annotation.url }] : [],
  );
}

/** One at most of each pull request: a later one says more. */
function findDue(merges: readonly DueEffect['annotation'][], sealedThrough: Day): DueEffect[] {
  return merges.flatMap((annotation) => {
    const passed = sealedThrough - annotation.day;
    const days = stages.find((stage) => passed >= stage && passed < stage + latestDays);
    return days === undefined ? [] : [{ annotation, days }];
  });
}

function keyOf({ annotation, days }: DueEffect): string {
  return `effect ${days} ${annotation.id}`;
}

/** Undefined where no changed page was read before, or the days before were not all counted. */
async function readNotification(
  store: Context['store'],
  project: { id: string; name: string },
  due: DueEffect,
  undo: string | undefined,
) {
  const { annotation, days } = due;
  const firstDay = await store.firstDay(project.id);
  if (firstDay === null || firstDay > annotation.day - days) return undefined;
  // As it was when these days were over, however late it is posted.
  const effect = await readEffect(store, annotation, annotation.day + days + 1);
  return effect.affectedPages === 0 ? undefined : writeEffect(project, { ...due, effect, undo });
}

const dayMs = 24 * 60 * 60 * 1000;
const maxNamed = 5;
/** Paths were written by visitors; secrets are removed when the text is sent. */
const asItIs = { redact: (text: string) => text };

/**
 * The effect of a pull request, in Markdown. All who can read the pull request see it, so it has no number of views, which
 * would show how large the site is.
 */
export function writeEffect(
  project: Notification['project'],
  {
    annotation,
    days,
    effect,
    undo,
  }: { annotation: Annotation; days: number; effect: Effect; undo: string | undefined },
): Notification {
  return {
    kind: 'effect',
    title: oneLine(`${project.name}: effect of “${annotation.text}” after ${days} days`),
    project,
    paragraphs: [
      describePages(annotation, days, effect),
      describeReaders(effect.measures).join('\n'),
      describeMethod(days),
      ...(undo === undefined ? [] : [undo]),
      `---\nSent by Headcount, ${days} days after the merge.`,
    ],
    tables: [],
    url: annotation.url ?? '',
    // A comment of an earlier try is not older.
    facts: { since: (annotation.day + days) * dayMs },
  };
}

/** Undefined where it is not known which job it was. */
export function describeUndo({
  projectId,
  jobId,
  comments,
  mention,
}: {
  projectId: string;
  jobId: string | undefined;
} & Pick<ProjectSettings, 'comments' | 'mention'>): string | undefined {
  if (jobId === undefined) return undefined;
  const asked =
    comments === 'off'
      ? `*Revert* at its job in Headcount, or \`${program} job revert ${projectId} ${jobId}\`,`
      : `A comment \`@${mention} revert\` by somebody who may write to this repository`;
  return `**To undo it:** ${asked} opens a pull request that takes this one back and leaves what came after it.`;
}

function describePages(
  { day }: Annotation,
  days: number,
  { affected, affectedPages, otherPages }: Effect,
): string {
  const named = affected.slice(0, maxNamed).map((path) => inCode(path, asItIs));
  const more = affectedPages > named.length ? ` and ${affectedPages - named.length} more` : '';
  const before = `${dateOf(day - days)} to ${dateOf(day - 1)}`;
  const after = `${dateOf(day + 1)} to ${dateOf(day + days)}`;
  return `**What came of this, ${days} days after the merge.** How ${writeCount(affectedPages, 'changed page')} (${named.join(', ')}${more}) ${affectedPages === 1 ? 'was' : 'were'} read ${after}, against the days before the merge (${before}) and against ${writeCount(otherPages, 'unchanged page')} of the site:`;
}

/** People and AI clients always, and AI clients of a purpose where something is measured. */
function describeReaders(measures: readonly EffectMeasure[]): string[] {
  const named = (of: EffectMeasure['of']) => measures.find((measure) => measure.of === of);
  const measured = measures.filter(({ verdict }) => verdict === 'more' || verdict === 'less');
  const others = measured.filter(({ of }) => of !== 'people' && of !== 'ai');
  return [
    describeReader('people', named('people')),
    describeReader('ai', named('ai')),
    ...others.map((measure) => describeReader(measure.of, measure)),
  ];
}

function describeReader(of: EffectMeasure['of'], measure: EffectMeasure | undefined): string {
  const name = `${readerNames[of].charAt(0).toUpperCase()}${readerNames[of].slice(1)}`;
  if (!measure || (isEmpty(measure) && measure.verdict !== 'not_measured'))
    return `- **${name}: none** came to these pages.`;
  const { verdict, change, low, high } = measure;
  const interval = `(${bound(low)} to ${bound(high)})`;
  switch (verdict) {
    case 'more':
    case 'less':
      return `- **${name}: ${percent(change)} ${verdict}** views of the changed pages than the unchanged ones lead to expect ${interval}. ${describeMoves(measure)}`;
    case 'none':
      return `- **${name}: no measurable effect** ${interval}. ${describeMoves(measure)}`;
    case 'moved_before':
      return `- **${name}: nothing can be said.** The changed pages moved against the unchanged ones, and did so before the merge, too. ${describeMoves(measure)}`;
    case 'not_measured':
      return `- **${name}: not measured.** On most days before the merge, or after it, nothing counted them.`;
    case 'too_little':
      return `- **${name}: too few views or pages** to distinguish an effect from chance.${change === null ? '' : ` ${describeMoves(measure)}`}`;
    default:
      return verdict satisfies never;
  }
}

function isEmpty({ affectedBefore, affectedAfter, otherBefore, otherAfter }: EffectMeasure): boolean {
  return affectedBefore + affectedAfter + otherBefore + otherAfter === 0;
}

function describeMoves({ affectedBefore, affectedAfter, otherBefore, otherAfter }: EffectMeasure): string {
  const changed = describeMove(affectedBefore, affectedAfter);
  return `The changed pages had ${changed}, the unchanged ones ${describeMove(otherBefore, otherAfter)}.`;
}

function describeMove(before: number, after: number): string {
  if (before === 0) return 'no views before';
  const change = (after - before) / before;
  if (percent(change) === '0%') return 'as many views as before';
  return `${percent(change)} ${change > 0 ? 'more' : 'fewer'} views than before`;
}

function describeMethod(days: number): string {
  const again = days < 28 ? ' It is looked at again 28 days after the merge.' : '';
  return `The intervals hold together in 96 of 100 cases. Pages that nobody read before the merge are left out.${again}`;
}
