import type { Effect, EffectMeasure } from './effect.ts';

export const readerNames: Record<EffectMeasure['of'], string> = {
  people: 'people',
  ai: 'AI clients',
  training: 'AI clients that gather for training',
  search: 'AI clients that search',
  assistant: 'assistants that read for a user',
  coding: 'coding agents',
  browser: 'agents with a browser',
};

/** The outcome in a sentence or two. */
export function describeEffect({
  days,
  affectedPages,
  measures,
  lacksDetails,
}: Omit<Effect, 'date' | 'text'>): string {
  if (days === 0) return 'A whole week has to pass first.';
  if (lacksDetails !== undefined)
    return 'Of days before or after it only totals are kept: nothing can be said of its effect.';
  if (affectedPages === 0) {
    return 'It is not known which pages it changed: give a release their paths, or none of the pull request’s files is a page that was read before.';
  }
  const found = measures.filter(({ verdict }) => verdict === 'more' || verdict === 'less');
  const moved = measures.filter(({ verdict }) => verdict === 'moved_before');
  const missed = measures.filter(({ verdict }) => verdict === 'not_measured');
  const isMeasured = measures.some(({ verdict }) => verdict !== 'too_little' && verdict !== 'not_measured');
  const sentences = [
    ...found.map(describeMeasure),
    ...moved.map(
      ({ of }) =>
        `Views by ${readerNames[of]} changed against the other pages, and did so before, too: that says nothing of the change.`,
    ),
    ...(found.length === 0 && moved.length === 0 && isMeasured ? ['No measurable effect.'] : []),
    ...(isMeasured || missed.length === measures.length
      ? []
      : ['There are too few views, or too few pages, to distinguish an effect from chance.']),
    ...missed.filter(({ of }) => of === 'people' || of === 'ai').map(describeMissed),
  ];
  return sentences.join(' ');
}

function describeMissed({ of }: EffectMeasure): string {
  return `Views by ${readerNames[of]} were not counted on most days before or after: nothing can be said of them.`;
}

function describeMeasure({ of, change, low, high }: EffectMeasure): string {
  return `Views of the affected pages by ${readerNames[of]} went ${(change ?? 0) > 0 ? 'up' : 'down'} by ${percent(change)} against the others (${bound(low)} to ${bound(high)}).`;
}

export function percent(change: number | null): string {
  return `${Math.round(Math.abs(change ?? 0) * 100)}%`;
}

export function bound(change: number | null): string {
  return `${(change ?? 0) < 0 ? '−' : '+'}${percent(change)}`;
}
