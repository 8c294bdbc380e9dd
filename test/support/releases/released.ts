import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
/** Encrypts what the kept databases have encrypted; it protects nothing. */
export const releasedKey = Buffer.alloc(32, 'headcount').toString('base64');

export interface Released {
  commit: string;
  projectId: string;
  adminKey: string;
  /** What the version that made the database answered, by path; null: it has no such report. */
  answers: Record<string, unknown>;
}

const reports = [
  'visitors',
  'views',
  'sources',
  'countries',
  'languages',
  'devices',
  'browsers',
  'systems',
  'screens',
  'ai-clients',
  'ai-clients/GPTBot/paths',
  'events',
  'events/Sign%20up/properties',
  'goals',
  'goals/Sign%20up/entry-pages',
  'funnels',
  'dropped',
  'series?dateFrom=2026-10-25&dateTo=2026-11-30',
  'visitors?dateFrom=2026-11-02&dateTo=2026-11-04',
];

/** Answers of a server to everything that can be asked about what it counted, and about its jobs. */
export async function readEverything(
  url: string,
  { projectId, adminKey }: Pick<Released, 'projectId' | 'adminKey'>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const ask = async (path: string) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${adminKey}` } });
    answers[path] = response.ok ? parseKept(await response.text()) : null;
    return answers[path];
  };
  for (const report of reports) await ask(`/v1/analytics/${projectId}/${report}`);
  const listed = (await ask(`/v2/agent/${projectId}/jobs`)) as { jobs: { id: string }[] };
  for (const { id } of listed.jobs) await ask(`/v2/agent/${projectId}/job/${id}/events`);
  return answers;
}

/** Older versions answered nulls for a goal that the project does not have, and this one that it is not found. */
export function answerNow(path: string, answer: unknown): unknown {
  const { totals } = (answer ?? {}) as { totals?: { people?: number | null } };
  return path.includes('/goals/') && totals?.people === null ? null : answer;
}

/** Fields of jobs that no older version has. */
const newer: Readonly<Record<string, unknown>> = {
  startedBy: null,
  noChange: null,
  stopped: false,
  reverts: null,
  merged: false,
};

/** How a claim is checked is of the server that is asked, as lists of addresses come and grow old. */
function parseKept(text: string): unknown {
  return JSON.parse(text, (name, value) =>
    name === 'check' || (name in newer && value === newer[name]) ? undefined : value,
  );
}

const folderOfAll = join(import.meta.dirname, '..', '..', 'store', 'released');

/** Of which a database is kept, oldest first. */
export const releasedSchemas = readdirSync(folderOfAll).flatMap(
  (name) => /^(\d{4})\.db\.gz$/.exec(name)?.[1] ?? [],
);

/** The file of that database. */
export const readReleased = (schema: string) =>
  gunzipSync(readFileSync(join(folderOfAll, `${schema}.db.gz`)));

export interface Unpacked {
  folder: string;
  made: Released;
  /** For commands and a server on this folder. */
  env: Record<string, string>;
}

/** Puts the database of a released schema into an empty data folder. */
export function unpackReleased(schema: string, folder: string): Unpacked {
  writeFileSync(join(folder, 'headcount.db'), readReleased(schema), { mode: 0o600 });
  // What jobs begin at was called HEAD before it was empty until it is known.
  const text = readFileSync(join(folderOfAll, `${schema}.json`), 'utf8').replaceAll(
    '"ref": "HEAD"',
    '"ref": ""',
  );
  const env = { HEADCOUNT_DATA_DIR: folder, HEADCOUNT_SECRET_KEY: releasedKey, HEADCOUNT_MAX_JOBS: '0' };
  return { folder, made: parseKept(text) as Released, env };
}
