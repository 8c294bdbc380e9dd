import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { archiveKeeper } from '../../server/store/sqlite/archive/archive-keeper.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import type { ArchiveRecord } from '../../shared/project/project-archive.ts';
import { databaseIn, temporaryFolders } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { releasedSchemas, unpackReleased } from '../support/releases/released.ts';
import { addUnreleased } from '../support/releases/unreleased.ts';
import { hasPostgres } from '../support/store/shared-postgres.ts';
import { Ended, openPostgres, openSqlite } from '../support/store/stopping.ts';

const newFolder = temporaryFolders();
let records: ArchiveRecord[] = [];

beforeAll(async () => {
  const folder = await newFolder();
  const { made } = unpackReleased(releasedSchemas.at(-1) as string, folder);
  await (await openSqliteStore(folder)).close();
  await addUnreleased(folder, made.projectId);
  const archive = archiveKeeper(databaseIn(folder));
  archive.beginExport(made.projectId);
  for (let next = archive.nextRecords(); next.length > 0; next = archive.nextRecords())
    records = [...records, ...next];
  archive.close();
});

describe.each([
  ['SQLite', async () => openSqlite(join(await newFolder(), 'headcount.db'))],
  ['PostgreSQL', openPostgres],
])('the import of a project on %s', (engine, open) => {
  test('leaves nothing, or all, when its process ends at any statement', async (context) => {
    if (engine === 'PostgreSQL' && !(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
    const { stopAfter, read, close } = await open();
    const before = await read();
    const key = {
      ...{
        id: 'k1',
        hash: 'hash',
        name: 'Admin',
        scope: 'admin' as const,
        projectId: null,
        createdAt: '2026',
      },
      ...{ expiresAt: null, networks: [], maker: null },
    };
    const entry = {
      ...{ at: 1, actor: { kind: 'command' as const, id: null, name: null }, projectId: null, subject: 'x' },
      ...{ action: 'project.added' as const, changes: [] },
    };
    const additions = { keys: [key], salts: [{ day: 20_700, salt: new Uint8Array(45) }], entries: [entry] };
    let stops = 0;
    for (; ; stops++) {
      const done = await stopAfter(stops)
        .importProject(records, additions)
        .catch((error: unknown) => {
          if (!(error instanceof Ended)) throw error;
        });
      if (done !== undefined) {
        expect(done).toBe('done');
        break;
      }
      expect(await read()).toEqual(before);
    }
    expect(stops).toBeGreaterThan(20);
    expect(await read()).not.toEqual(before);
    expect(await stopAfter(Number.MAX_SAFE_INTEGER).importProject(records, additions)).toBe('exists');
    await close();
  });
});
