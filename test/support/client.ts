import { join } from 'node:path';
import type { Operations } from '../../client/client.d.ts';

export type { Client } from '../../client/client.d.ts';

const built = join(import.meta.dirname, '..', '..', 'dist', 'client', 'client.js');

/** The client that the server serves, as it was built. */
export const { createClient, HeadcountError }: typeof import('../../client/client.d.ts') = await import(
  built
);

/** Which days of a report, and which of its rows. */
export type GivenQuery = NonNullable<Operations['GET /v1/analytics/{projectId}/visitors']['given']['query']>;
