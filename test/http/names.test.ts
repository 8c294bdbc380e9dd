import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../server/log.ts';
import { makeKey } from '../../server/projects/key.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { runHere } from '../support/commands/command.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { type Headcount, startHeadcount, statusAndError } from '../support/headcount.ts';

const newFolder = temporaryFolders();

/** What moves a cursor, ends a line, turns a text around or is not seen. */
const hostile = {
  ESC: '\u001b[31m',
  OSC: '\u001b]0;pwned\u0007',
  'CSI of C1': '\u009b2J',
  BEL: '\u0007',
  CR: '\r',
  LF: '\nFAKE LINE',
  DEL: '\u007f',
  NEL: '\u0085',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'an override': '\u202e',
  'an embedding': '\u202b',
  'an isolate': '\u2066',
  'a mark of direction': '\u200f',
  'a zero-width space': '\u200b',
  'a zero-width joiner': '\u200d',
  'a word joiner': '\u2060',
  'a byte order mark': '\ufeff',
  'a soft hyphen': '\u00ad',
  'a tag': '\u{e0041}',
  'half a character': '\ud83d',
};
const dangerous =
  /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}]|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0041}]/u;

/** What people write, and what has to stay as it is. */
const readable = ['Überblick „Docs“', 'می‌خواهم', 'क्‍ष', '👩‍💻 Café ❤️', '日本語', 'שלום', "O'Neil & Söhne <b>"];

let headcount: Headcount;
let key: string;
let project: string;

beforeAll(async () => {
  headcount = await startHeadcount({ project: { name: 'Docs' } });
  key = headcount.rootKey;
  project = `/v1/projects/${headcount.projectId}`;
});
afterAll(() => headcount.stop());

const send = (method: string, path: string, body: object) =>
  fetch(headcount.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const automation = (name: string) => ({
  name,
  when: { kind: 'weekly', weekdays: ['monday'], hour: 9 },
  prompt: 'Look.',
});
const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');

/** Everything that people name, by the request that names it. */
const named: [string, string, () => string, (name: string) => object][] = [
  ['a project', 'PATCH', () => project, (name) => ({ name })],
  ['a new project', 'POST', () => '/v1/projects', (name) => ({ name })],
  ['a goal', 'PATCH', () => project, (name) => ({ goals: [name] })],
  ['a funnel', 'PATCH', () => project, (name) => ({ funnels: [`/a > ${name}`] })],
  ['a label', 'PATCH', () => project, (name) => ({ labels: [name] })],
  ['an author', 'PATCH', () => project, (name) => ({ commitAuthor: `${name} <a@example.com>` })],
  ['a receiver', 'PATCH', () => project, (name) => ({ mailTo: [`${name}@example.com`] })],
  ['a parameter', 'PATCH', () => project, (name) => ({ keptParameters: [name] })],
  ['an excluded path', 'PATCH', () => project, (name) => ({ excludedPaths: [`/${name}`] })],
  ['a file for agents', 'PATCH', () => project, (name) => ({ agentPaths: [`data/${name}`] })],
  ['the docs folder', 'PATCH', () => project, (name) => ({ docsFolder: `docs/${name}` })],
  ['a branch prefix', 'PATCH', () => project, (name) => ({ branchPrefix: `docs-${name}-` })],
  ['a host', 'PATCH', () => project, (name) => ({ hosts: [`a${name}.example`] })],
  ['a key', 'POST', () => `${project}/keys`, (name) => ({ name, scope: 'ingest' })],
  ['a user', 'POST', () => '/v1/users', (name) => ({ name, roles: [{ projectId: null, role: 'viewer' }] })],
  ['an annotation', 'POST', () => `/v1/analytics/${headcount.projectId}/annotations`, (text) => ({ text })],
  [
    'a page of an annotation',
    'POST',
    () => `/v1/analytics/${headcount.projectId}/annotations`,
    (name) => ({ text: 'x', paths: [`/${name}`] }),
  ],
  ['an automation', 'POST', () => `/v2/agent/${headcount.projectId}/automations`, automation],
  [
    'an image',
    'POST',
    () => `/v2/agent/${headcount.projectId}/job`,
    (name) => ({ prompt: 'x', images: [{ name, content: png }] }),
  ],
];

describe.each(named)('%s', (_what, method, path, body) => {
  test('is one line of what people see, and anything else is refused in words', async () => {
    for (const [what, text] of Object.entries(hostile)) {
      const [status, error] = await statusAndError(send(method, path(), body(`a${text}b`)));
      expect([what, status]).toEqual([what, 400]);
      expect(error).toMatch(/must/);
      expect(error).not.toMatch(dangerous);
    }
  });
});

test('names in all scripts, with joiners and pictures, are taken and read back as they were', async () => {
  for (const name of readable) {
    const answer = await send('PATCH', project, { name });
    expect([answer.status, ((await answer.json()) as { name: string }).name]).toEqual([200, name]);
    expect((await send('POST', `${project}/keys`, { name, scope: 'ingest' })).status).toBe(201);
  }
  const answer = await send('PATCH', project, { name: ' \t Docs\r\n' });
  expect(((await answer.json()) as { name: string }).name).toBe('Docs');
});

test('users of the dashboard are refused the same', async () => {
  const client = await openDashboard(headcount);
  const body = { settings: { name: 'evil\u001b[2J' } };
  const refused = await client.send('PATCH', `/v1/admin/projects/${headcount.projectId}`, { body });
  expect(await statusAndError(refused)).toEqual([400, expect.stringContaining('one line of readable text')]);
});

describe('a command', () => {
  test('takes no such name', async () => {
    const env = { HEADCOUNT_DATA_DIR: await newFolder() };
    const { stdout } = await runHere(['project', 'add', '--name', 'Docs', '--json'], env);
    const { projectId } = JSON.parse(stdout) as { projectId: string };
    for (const text of Object.values(hostile)) {
      const name = `a${text}b`;
      for (const args of [
        ['project', 'add', '--name', name],
        ['project', 'set', projectId, '--name', name],
        ['project', 'set', projectId, '--goal', name],
        ['key', 'add', '--project', projectId, '--name', name],
        ['user', 'add', name, '--all-projects', '--role', 'viewer'],
        ['annotation', 'add', projectId, '--text', name],
        ['automation', 'add', projectId, '--name', name, '--monthly', '1', '--hour', '2', '--prompt', 'x'],
      ]) {
        const { code, stderr } = await runHere(args, env);
        expect([args.slice(0, 2), text, code === 0, stderr]).toEqual([
          args.slice(0, 2),
          text,
          false,
          expect.stringMatching(/must/),
        ]);
        expect(stderr).not.toMatch(dangerous);
      }
    }
  });

  test('prints what an older version stored without what moves the cursor or adds a line', async () => {
    const all = `evil${Object.values(hostile).join('x')}end`;
    const { store, config } = headcount.context;
    const older = {
      ...projectSettings.parse({ name: 'x' }),
      name: all,
      goals: [all],
      embedOrigins: ['https://*'],
    };
    await store.addProject({ id: 'older', settings: older, createdAt: '2026-01-01T00:00:00.000Z' }, []);
    await store.addKey(makeKey('admin', 'older', all, 0).stored);
    await store.annotations.addAnnotation({
      ...{ projectId: 'older', id: 'm1', day: 20_000, kind: 'note', text: all },
      ...{ affected: [], url: null, createdAt: 0 },
    });
    await headcount.context.registry.refresh();
    const answer = await fetch(`${headcount.url}/v1/projects/older`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const shown = (await answer.json()) as { name: string; embedOrigins: string[] };
    expect(shown.name).not.toMatch(dangerous);
    expect(shown.embedOrigins).toEqual([]);
    const env = { HEADCOUNT_DATA_DIR: config.dataDir };
    for (const args of [['project', 'list'], ['key', 'list'], ['annotation', 'list', 'older'], ['check']]) {
      for (const more of [[], ['--json']]) {
        if (args[0] === 'check' && more.length > 0) continue;
        const { stdout } = await runHere([...args, ...more], env);
        expect([args, stdout]).toEqual([args, expect.not.stringMatching(dangerous)]);
        expect(stdout).not.toMatch(/^FAKE/m);
        if (more.length > 0) expect(() => JSON.parse(stdout)).not.toThrow();
      }
    }
    const keys = await runHere(['key', 'list', '--json'], env);
    expect((JSON.parse(keys.stdout) as { name: string }[]).map(({ name }) => name)).toContain(
      all.toWellFormed(),
    );
  });

  test('repeats what it was given, and what stands in a file, in the same way', async () => {
    const env = { HEADCOUNT_DATA_DIR: await newFolder() };
    const all = `evil${Object.values(hostile).join('x')}end`.replaceAll('\n', '');
    const file = join(await newFolder(), 'hostile');
    writeFileSync(file, `${all}\n${all}\n`);
    await runHere(['project', 'add', '--name', 'Docs'], env);
    for (const args of [
      [all],
      ['project', all],
      ['project', 'list', all],
      ['project', 'list', `--${all}`],
      ['project', 'set', all, '--name', 'x'],
      ['project', 'import', file],
      ['project', 'import', all],
      ['import', '--project', 'none', file],
      ['whois', all],
      ['whois', '--user-agent', all],
      ['key', 'revoke', all],
      ['user', 'set', all, '--all-projects', '--role', all],
      ['restore', file],
      ['catalogue', 'load', file],
      ['import-stats', '--project', 'none', file],
    ]) {
      const { stdout, stderr } = await runHere(args, env);
      expect([args[0], stdout + stderr]).toEqual([args[0], expect.not.stringMatching(dangerous)]);
    }
  });
});

test('a line of the log stays one line, and its causes add none that looks like one', () => {
  const all = Object.values(hostile).join('x');
  for (const format of ['text', 'json'] as const) {
    const written: string[] = [];
    const log = createLog(
      (line) => written.push(line),
      () => 0,
      { format },
    );
    log.info(`It was ${all}.`);
    log.error('It failed:', new Error(`as ${all}\n2026-11-22T10:00:00.000Z info All is well.`));
    log.error('It failed:', `as ${all}\n2026-11-22T10:00:00.000Z info All is well.`);
    expect(written.join('')).not.toMatch(dangerous);
    expect(written[0]?.trimEnd().split('\n')).toHaveLength(1);
    const timed = written.flatMap((text) => text.split('\n')).filter((line) => /^\s*[{\d]/.test(line));
    expect(timed).toHaveLength(3);
    if (format === 'json') {
      const messages = written.map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(messages[0]).toBe(`It was ${all}.`);
    }
  }
});
