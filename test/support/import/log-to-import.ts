import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeProject } from '../data-folders.ts';
import { aiClient, combined } from './import-run.ts';

export interface LogToImport {
  folder: string;
  /** With a project, and no server on it. */
  dataDir: string;
  projectId: string;
  /** 2,400 views of people and 600 of an AI client, and a line that is none. */
  log: string;
  remove(): Promise<void>;
}

/** For the command alone. */
export async function makeLogToImport(lastLine: string): Promise<LogToImport> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-import-'));
  await chmod(folder, 0o755);
  const dataDir = join(folder, 'data');
  const { projectId } = await makeProject(dataDir, 'Logs');
  const log = join(folder, 'access.log');
  const lines = Array.from({ length: 3000 }, (_, i) =>
    combined({
      at: '2026-03-01T10:00:00Z',
      path: `/page-${i % 20}`,
      ...(i % 5 === 0 && { userAgent: aiClient }),
    }),
  );
  await writeFile(log, `${lines.join('')}${lastLine}\n`);
  return { folder, dataDir, projectId, log, remove: () => rm(folder, { recursive: true, force: true }) };
}
