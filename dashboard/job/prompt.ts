import type { EventReply } from '../../shared/jobs/job.ts';
import { readable, shorten } from '../formats/text.ts';

/** Prompts that wait until a project can have jobs, by the project. They last as long as the page. */
const kept = new Map<string, string>();

/** The prompt that led here, such as from a report, also once somebody has been in the settings in between. */
export function keepPrompt(projectId: string, query: URLSearchParams): string {
  const prompt = query.get('prompt') ?? kept.get(projectId) ?? '';
  kept.set(projectId, prompt);
  return prompt;
}

export function forgetPrompt(projectId: string): void {
  kept.delete(projectId);
}

/** What was asked of a job, or its title, if the first line is one: of its first event. Undefined: not read yet. */
export function findPrompt(events: EventReply[] | undefined, maxLength: number): string | undefined {
  const text = events?.[0]?.data.text;
  if (typeof text !== 'string') return undefined;
  const [title = ''] = text.split('\n\n', 1);
  return shorten(readable(title.includes('\n') ? text : title), maxLength);
}
