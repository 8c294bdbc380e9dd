import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runFaults } from '../../bench/postgres/faults.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { makePostgresFolder } from '../support/store/postgres-folder.ts';

test('nodes and PostgreSQL are killed under load, a standby takes over, and every acknowledged view counts once', async (context) => {
  const folder = await makePostgresFolder();
  const surroundings = { folder, signal: context.signal, log: () => undefined };
  const outcome = await runFaults(surroundings, { nodeKills: 2, databaseKills: 2, failovers: 1 });
  await rm(folder, { recursive: true, force: true });
  if (!outcome) return leaveOut(context, 'PostgreSQL is not installed');
  expect(outcome.acknowledged).toBeGreaterThan(20);
  expect(outcome).toMatchObject({ lost: 0, twice: 0, wrong: 0 });
});
