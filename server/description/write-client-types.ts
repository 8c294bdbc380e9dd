// Writes the types of the client, for `build.mjs`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '../operations.ts';
import { toClientTypes } from './client-types.ts';
import { readDescription } from './routes.ts';

const file = join(import.meta.dirname, '..', '..', 'client', 'operations.d.cts');
await writeFile(file, toClientTypes(await readDescription(operations)));
