import { z } from 'zod';
import { dropReasonNames, talliedReasonNames } from '../drop-reasons.ts';

export const talliedReason = z.enum(talliedReasonNames);

const dropReason = z.enum(dropReasonNames).meta({ id: 'DropReason' });

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
