import { z } from 'zod';

/**
 * `GET /v1/share/{token}`: what a share page is of. Its reports are those of `/v1/analytics/{projectId}/…`, at
 * `/v1/share/{token}/…`, without `dropped` and `name-caps`.
 */
export const shareReply = z.object({ name: z.string(), timeZone: z.string() }).meta({ id: 'SharedProject' });

export type ShareReply = z.infer<typeof shareReply>;
