import type { Job } from './job.ts';
import type { CommentOrigin } from './job-comment.ts';
import type { ListedImage } from './job-image.ts';
import type { Starter } from './job-start.ts';

/** A line of the transcript, numbered from 1 within its job. */
export interface JobEvent {
  number: number;
  turn: number;
  at: string;
  /** `message`, `phase`, `text`, `tool`, `output`, `retry`, `failed`, `completed`, `archived`, … */
  type: string;
  /** For people; bounded, and without secrets. */
  data: Record<string, unknown>;
}

export type NewEvent = Omit<JobEvent, 'number' | 'turn' | 'at'>;

/** Where a message comes from, unless somebody sent it by the API. */
interface MessageSource {
  startedBy?: Starter | null | undefined;
  origin?: CommentOrigin | undefined;
  /** What came with it. */
  images?: readonly ListedImage[] | undefined;
}

/** @param ending type and data of the event that ended the newest turn */
export function readEnding(
  ending: string | null,
  status: Job['status'],
): Pick<Job, 'noChange' | 'answeredBy'> {
  const [, type, data = '{}'] = /^([a-z]+)(.*)$/s.exec(ending ?? '') ?? [];
  const { reason, model } = JSON.parse(data) as { reason?: unknown; model?: unknown };
  const tellsWhy = type === 'completed' && (status === 'completed' || status === 'archived');
  return {
    noChange: tellsWhy && typeof reason === 'string' ? reason : null,
    answeredBy: typeof model === 'string' ? model : null,
  };
}

/** What people do stands in the transcript, too. */
export const eventOf = {
  message: (prompt: string, { startedBy, origin, images = [] }: MessageSource = {}): NewEvent => ({
    type: 'message',
    data: {
      text: prompt,
      ...(images.length > 0 && { images }),
      ...(startedBy && { startedBy }),
      ...(origin && { by: origin.author ?? 'checks', url: origin.url }),
    },
  }),
  archived: { type: 'archived', data: { text: 'It was asked to be archived.' } },
  idle: { type: 'archived', data: { text: 'Nothing happened for a long time.' } },
} as const;
