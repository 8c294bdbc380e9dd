import { z } from 'zod';

/** Why a hit was not counted, as reports of its project's days tell it. */
export const talliedReason = z.enum([
  'foreign_host',
  'excluded_path',
  'excluded_address',
  'no_page',
  'bot',
  'spoofed',
  'too_old',
  'left_to_script',
  'same_view',
  'rate_limited',
]);

export type TalliedReason = z.infer<typeof talliedReason>;

/** Why a hit was not counted. The first three are told by no report. */
export const dropReason = z
  .enum(['unknown_project', 'invalid', 'not_a_person', ...talliedReason.options])
  .meta({ id: 'DropReason' });

export type DropReason = z.infer<typeof dropReason>;

/** What `POST /v1/hits` answers. */
export const batchReply = z
  .object({
    accepted: z.int().min(0),
    dropped: z.array(
      z.object({
        index: z.int().min(0).describe('Its place in the batch, from 0.'),
        reason: dropReason,
        error: z.string().optional().describe('What is wrong with a hit that is `invalid`.'),
      }),
    ),
  })
  .meta({ id: 'Batch' });

export type BatchReply = z.infer<typeof batchReply>;
