import { z } from 'zod';

/** `GET /healthz` */
export const aliveReply = z.object({ status: z.literal('alive') }).meta({ id: 'Alive' });

/** `GET /readyz`: each part that the server needs. */
export const readyReply = z
  .object({
    status: z.literal('ready'),
    database: z.object({ writable: z.literal(true) }),
    buffer: z.object({
      waiting: z.int().min(0).describe('Views that wait for their commit.'),
      limit: z.int().describe('From so many on, hits are answered 503.'),
    }),
    runner: z.object({ state: z.enum(['alive', 'off']).describe('`off`: HEADCOUNT_JOBS is 0.') }),
  })
  .meta({ id: 'Ready' });

export type ReadyReply = z.infer<typeof readyReply>;
