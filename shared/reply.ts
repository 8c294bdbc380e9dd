import { z } from 'zod';

/** Made when it is first asked for: schemas of answers take memory, and only the description of the API reads them. */
export function lazily<T>(make: () => T): () => T {
  let made: { it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** A schema by its name in the description of the API. */
export const reply = <Shape extends z.ZodRawShape>(id: string, shape: () => Shape) =>
  lazily(() => z.object(shape()).meta({ id }));

export type Reply<Make extends () => z.ZodType> = z.infer<ReturnType<Make>>;

/** The body of every error. */
export const errorReply = reply('Error', () => ({
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
}));

export type ErrorReply = Reply<typeof errorReply>;
