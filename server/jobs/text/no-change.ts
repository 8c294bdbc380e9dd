import { excerpt } from './excerpt.ts';

const maxReason = 1_000;

/** How an agent says that nothing is to be changed, as the first words of its summary. */
const noChange = /^[\s*_#>]*no change\s*:[\s*_]*/i;

/** Why an agent wants nothing changed; undefined where it does not say that. */
export function readNoChange(summary: string): string | undefined {
  if (!noChange.test(summary)) return undefined;
  return excerpt(summary.replace(noChange, '').trim(), maxReason) || 'The agent gave no reason.';
}

/** Of an agent that has changed nothing, what it says of that. */
export function reasonOf(summary: string): string {
  return readNoChange(summary) ?? excerpt(summary.trim(), maxReason);
}
