import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { type ServerProcess, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { dashboardClient, isSignedIn, password, signIn } from '../support/dashboard/dashboard.ts';
import { accept, signInAs, userPassword } from '../support/dashboard/people.ts';
import { turnOn } from '../support/dashboard/second-factor.ts';

let folder: string;
let env: Record<string, string>;
let server: ServerProcess;
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-users-'));
  env = { HEADCOUNT_DATA_DIR: join(folder, 'data') };
  ({ projectId } = JSON.parse((await run('project add --name Docs --json')).stdout) as AddedProject);
  server = await startProcess(env);
});
afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
  await rm(folder, { recursive: true, force: true });
});

const run = (line: string, input?: string) => runHere(line.split(' '), env, input);

async function said(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(line, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const linkIn = (text: string) => /\n {2}(http:\S+\/invitation#\S+)\n/.exec(text)?.[1] as string;

describe('headcount user', () => {
  test('adds somebody by a link, lets them in, gives other roles, and removes them from a running server', async () => {
    const added = await said(`user add Ada --project ${projectId}`);
    expect(added).toContain(
      "User ada was added. Send ada this link to set a password. It works once and expires in 7 days. It won't be shown again.",
    );
    const ada = await accept(server, linkIn(added));
    const session = () => ada.must<SessionReply>('GET', '/v1/admin/session');
    expect(await session()).toMatchObject({ state: 'signed-in', name: 'ada', role: null });

    await said('user set ada --all-projects --role owner');
    await expect.poll(async () => (await session()).role).toBe('owner');
    expect(JSON.parse(await said('user list --json'))).toEqual([
      {
        userId: expect.stringMatching(/^user_/),
        name: 'ada',
        roles: [
          { projectId: null, role: 'owner' },
          { projectId, role: 'viewer' },
        ],
        hasPassword: true,
        hasSecondFactor: false,
        hasSignOn: false,
        linkExpiresAt: null,
        createdAt: expect.any(String),
      },
    ]);
    await said('user set ada --all-projects --role none');
    expect(await said('user list')).toMatch(
      new RegExp(
        `^NAME +CREATED +PASSWORD +SECOND FACTOR +SIGN-ON +ROLES\nada +[0-9-]+ +yes +no +no +viewer of ${projectId}\n$`,
      ),
    );

    const { url } = JSON.parse(await said('user link ada --json')) as { url: string };
    expect(await isSignedIn(ada)).toBe(true);
    await accept(server, url);
    expect(await isSignedIn(ada)).toBe(false);

    const again = dashboardClient(server.url);
    expect((await signInAs(again, 'ada')).status).toBe(204);
    expect(await said('user remove ada')).toBe('User ada was removed and is signed out.\n');
    await expect.poll(() => isSignedIn(again)).toBe(false);
    expect(await said('user list')).toContain('There is no user: add one with');
  });

  test('resets the second factor of who has lost it, also the administrator', async () => {
    await said('admin password --stdin', password);
    const administrator = await signIn(server.url);
    const added = await said('user add dora --all-projects');
    const dora = await accept(server, linkIn(added));
    await turnOn(dora, Date.now(), userPassword);
    await turnOn(administrator, Date.now());
    expect(await said('user list')).toMatch(/\ndora +[0-9-]+ +yes +yes +no +viewer of all\n$/);
    expect((await signInAs(dashboardClient(server.url), 'dora')).status).toBe(401);
    expect(await said('user reset-factor dora')).toBe(
      'The second factor of dora was turned off: the password is enough to sign in.\n',
    );
    expect(JSON.parse(await said('user reset-factor Administrator --json'))).toEqual({
      name: 'administrator',
      reset: true,
    });
    expect((await signInAs(dashboardClient(server.url), 'dora')).status).toBe(204);
    await signIn(server.url);
    await said('user remove dora');
  });

  test('and all other commands stand in the audit list as such', async () => {
    const { key } = JSON.parse(await said('key add --all-projects --name auditor --json')) as { key: string };
    await said(`project set ${projectId} --time-zone Asia/Tokyo`);
    await said('user add carol --all-projects');
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${server.url}/v1/audit?limit=3`, { headers });
      return response.ok ? ((await response.json()) as AuditReply).entries : [];
    };
    const actor = { kind: 'command', id: null, name: null };
    await expect.poll(ask).toMatchObject([
      { actor, action: 'user.added', subject: 'carol', changes: ['viewer of all projects'] },
      { actor, action: 'project.changed', subject: 'Docs', changes: ['timeZone: UTC → Asia/Tokyo'] },
      { actor, action: 'key.added', subject: 'auditor', projectId: null },
    ]);
    await said('user remove carol');
  });

  test.each([
    ['user add eve', 2, 'either --project <project> or --all-projects'],
    ['user add eve --all-projects --role king', 2, '--role must be viewer, editor or owner, not "king"'],
    ['user add administrator --all-projects', 2, 'must not be "administrator"'],
    ['user add eve --project none', 1, 'There is no project none'],
    ['user set eve --all-projects', 2, 'Give the role with --role <role>'],
    ['user set eve --all-projects --role owner', 1, 'There is no user eve'],
    ['user link eve', 1, 'There is no user eve'],
    ['user remove eve', 1, 'There is no user eve'],
    ['user reset-factor', 2, 'Expected <name>, got none'],
    ['user reset-factor eve', 1, 'There is no user eve'],
    ['user reset-factor administrator', 1, 'The second factor of administrator is off already'],
  ])('says what is wrong with "%s"', async (line, code, error) => {
    expect(await run(line)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(error) });
  });

  test('adds nobody twice', async () => {
    await said('user add bob --all-projects');
    const { code, stderr } = await run('user add BOB --all-projects');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is a user bob already')]);
  });
});
