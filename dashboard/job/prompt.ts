import type { EventReply } from '../../shared/jobs/job.ts';
import { readable, shorten } from '../formats/text.ts';

/** What was asked of a job: the first event of its transcript. Undefined: not read yet. */
export function findPrompt(events: EventReply[] | undefined, maxLength: number): string | undefined {
  const text = events?.[0]?.data.text;
  return typeof text === 'string' ? shorten(readable(text), maxLength) : undefined;
}
