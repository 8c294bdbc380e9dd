import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runHere } from '../support/commands/command.ts';
import { databaseIn, makeProject, temporaryFolders } from '../support/data-folders.ts';
import { engineEnvironment } from '../support/store/chosen-engine.ts';
import { runIn } from '../support/store/postgres-client.ts';

const newFolder = temporaryFolders();

test('a stored setting that is refused by now is left out, and stops no command for any project', async () => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const [odd, other] = [await makeProject(dataDir, 'Odd'), await makeProject(dataDir, 'Other')];
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere([...args, '--json'], env);
    expect([code, stderr.includes('defect')]).toEqual([0, false]);
    return { stderr, read: JSON.parse(stdout) };
  };
  await run('project', 'set', odd.projectId, '--time-zone', 'Europe/Berlin');
  const refused = {
    ref: 'r\u001b',
    mention: 7,
    branchPrefix: 'a..b/',
    model: 'nobody/model',
    agentHosts: ['no host'],
    excludedAddresses: ['nowhere', '192.0.2.7'],
    hosts: 'a.example',
  };
  const { HEADCOUNT_DATABASE_URL: url } = await engineEnvironment(env);
  const settings = JSON.stringify({ name: 'Odd', timeZone: 'Europe/Berlin', ...refused });
  const change = `update projects set settings = '${settings}' where public_id = '${odd.projectId}'`;
  if (url) await runIn(url, change);
  else new Database(databaseIn(dataDir)).exec(change).close();

  expect((await run('project', 'list')).read).toMatchObject([{ name: 'Odd' }, { name: 'Other' }]);
  const { stderr } = await run('project', 'set', other.projectId, '--time-zone', 'UTC');
  for (const setting of Object.keys(refused)) {
    const line = `The setting ${setting} of the project "Odd" (${odd.projectId}) has something that cannot be used and is left out: `;
    expect(stderr).toContain(line);
  }
  expect(stderr).toContain(`headcount project set ${odd.projectId}`);
  expect(stderr).not.toContain('\u001b');
  // It counts no hosts that it left out, and keeps what can be used.
  const { read } = await run('project', 'set', odd.projectId, '--mention', 'docs');
  expect(JSON.stringify(read)).toContain('host.invalid');
  expect(JSON.stringify(read)).toContain('Europe/Berlin');
  expect(JSON.stringify(read)).toContain('192.0.2.7');
});
