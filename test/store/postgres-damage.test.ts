import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { runHeadcount, startProcess } from '../support/child.ts';
import { temporaryFolders, visit } from '../support/data-folders.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { makePostgresFolder } from '../support/store/postgres-folder.ts';
import { PostgresServer } from '../support/store/postgres-server.ts';

const newFolder = temporaryFolders();

async function overwrite(file: string, at: number, length: number): Promise<void> {
  const opened = await open(file, 'r+');
  await opened.write(Buffer.alloc(length, 0xa5), 0, length, at);
  await opened.close();
}

test('of a PostgreSQL with damaged tables, check, export, reports and /readyz say so', async (context) => {
  const folder = await makePostgresFolder();
  const server = await PostgresServer.start(folder, ['fsync=off'], ['--data-checksums']);
  if (!server) return leaveOut(context, 'PostgreSQL is not installed');
  await runIn(server.urlOf('postgres'), 'create database damaged');
  const env = {
    HEADCOUNT_DATABASE_URL: server.urlOf('damaged'),
    HEADCOUNT_DATA_DIR: await newFolder(),
    HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const added = await runHeadcount(['project', 'add', '--name', 'Docs', '--json'], env);
  const project = JSON.parse(added.stdout);
  const before = await startProcess(env);
  await visit(before, project, [1, 2, 3]);
  before.signal('SIGTERM');
  await before.ended;
  const client = new Client(server.urlOf('damaged'));
  await client.connect();
  const { rows } = await client.query(
    "select pg_relation_filepath(name) as file from unnest(array['names', 'audit']) name",
  );
  await client.end();
  await server.end('SIGINT');
  const [names, audit] = rows.map(({ file }) => join(folder, 'data', file));
  await overwrite(String(names), 0, 8192);
  // Within a row, which nothing but its checksum shows.
  await overwrite(String(audit), 8180, 4);
  await server.start();

  const check = await runHeadcount(['check'], env);
  expect(check.code).toBe(1);
  expect(check.stdout).toMatch(/The table audit cannot be read.*invalid page in block 0/);
  expect(check.stdout).toMatch(/The table names cannot be read/);
  expect(check.stdout).toContain('invalid page in block 0');
  const exported = await runHeadcount(
    ['export', '--project', project.projectId, join(env.HEADCOUNT_DATA_DIR, 'x')],
    env,
  );
  expect([exported.code, exported.stderr.trim().split('\n')]).toEqual([
    1,
    [expect.stringContaining("Restore it with PostgreSQL's own tools")],
  ]);
  const running = await startProcess(env);
  const headers = { authorization: `Bearer ${project.adminKey}` };
  const report = await fetch(`${running.url}/v1/analytics/${project.projectId}/views`, { headers });
  expect([report.status, report.headers.get('retry-after')]).toEqual([503, null]);
  const ready = await fetch(`${running.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringContaining('the database is damaged'),
  ]);
  running.signal('SIGTERM');
  expect(await running.ended).toBe(0);
  await server.end('SIGINT');
  await rm(folder, { recursive: true, force: true });
});
