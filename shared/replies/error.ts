import { z } from 'zod';

/** What every refusal is told as. */
export const errorReply = z
  .object({
    error: z.string().describe('A sentence that says what to do.'),
    details: z
      .array(
        z.object({
          message: z.string(),
          path: z.string().describe('The parameter or field, such as `limit` or `hits.0.url`.'),
        }),
      )
      .optional()
      .describe('Where there is a field to name, or more than one thing to say.'),
  })
  .meta({ id: 'Error' });

export type ErrorReply = z.infer<typeof errorReply>;
