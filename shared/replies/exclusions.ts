import { z } from 'zod';

/** `GET /v1/projects/{projectId}/exclusions` */
export const exclusionsReply = z
  .object({ paths: z.array(z.string()), addresses: z.array(z.string()), hosts: z.array(z.string()) })
  .meta({ id: 'Exclusions' });

export type ExclusionsReply = z.infer<typeof exclusionsReply>;
