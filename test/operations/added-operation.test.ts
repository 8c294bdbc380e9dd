import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const home = join(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'headcount-copy-'));

const added = `const count = operation({
  name: 'analytics.annotations.count',
  method: 'GET',
  path: \`\${path}/count\`,
  access: 'project',
  scope: 'read',
  summary: 'How many annotations there are',
  answers: { 200: { says: 'Their number', json: () => z.object({ count: z.int() }) } },
  tool: { name: 'count_marks', title: 'Number of annotations', description: 'Counts the annotations.' },
  run: async ({ store }, { project }) => ({
    count: (await listAnnotations(store, { projectId: project.id, from: null, to: null })).length,
  }),
  command: {
    name: 'annotation count',
    options: { loud: { type: 'boolean', says: 'say it loud' } },
    print: ({ count }, { values: { loud } }) => \`\${count} annotations\${loud ? '!' : '.'}\\n\`,
  },
});

`;

/** A code host: a file, its line in the list of drivers, and its name. */
const host = `import { gitea } from "./gitea.ts";
import type { ForgeDriver } from "./forge.ts";

export const acme: ForgeDriver = { ...gitea, knows: (host) => host === 'git.acme.test' };
`;

const setting = `  motto: editor(z.string().max(40, 'must have at most 40 characters').nullable().default(null), {
    option: 'motto <text>',
    says: 'a motto of the site',
  }),
`;

/** Each is added before or after a line that is there. */
const changes: readonly [file: string, line: RegExp, changed: string][] = [
  [
    'server/operations/annotations.ts',
    /(\/\*\*[^\n]*\n)?export const annotationOperations = \[/,
    `${added}$&count, `,
  ],
  ['server/jobs/forge/forges.ts', /import \{ gitea \}/, `import { acme } from "./acme.ts";\n$&`],
  ['server/jobs/forge/forges.ts', /drivers: Drivers<ForgeKind> = \{/, '$& acme,'],
  ['shared/jobs/forge.ts', /forgeLabels = \{\n/, `$&  acme: 'Acme',\n`],
  ['shared/project/project.ts', / {2}\/\*\* Price of a GB/, `${setting}$&`],
];

/** Runs in the copy, and has its server answer itself. */
const script = `
import { Readable, Writable } from 'node:stream';
import { readFileSync } from 'node:fs';
const { runCommandLine } = await import(process.cwd() + '/server/command-line.ts');
const env = { PATH: process.env.PATH, HEADCOUNT_DATA_DIR: 'data', HEADCOUNT_PORT: '0', HEADCOUNT_OFFLINE: '1' };
let stop;
const stopped = new Promise((resolve) => { stop = resolve; });
async function run(...args) {
  let said = '';
  const output = new Writable({ write: (chunk, _encoding, done) => { said += chunk; done(); } });
  const errors = new Writable({ write: (_chunk, _encoding, done) => done() });
  await runCommandLine(args, { env, input: Readable.from([]), output, errors, untilStopped: () => stopped });
  return said;
}
const { projectId, adminKey } = JSON.parse(await run('project', 'add', '--name', 'Docs', '--json'));
await run('annotation', 'add', projectId, '--text', 'News');
const found = {
  people: await run('annotation', 'count', projectId, '--loud'),
  programs: JSON.parse(await run('annotation', 'count', projectId, '--json')),
  help: await run('annotation', '--help'),
  completion: await run('completion', 'bash'),
  settings: await run('project', '--help'),
  shown: JSON.parse(await run('project', 'set', projectId, '--motto', 'Onwards', '--forge', 'acme', '--json')),
};
const { detectForge } = await import(process.cwd() + '/server/jobs/forge/forges.ts');
found.host = await detectForge({ host: 'git.acme.test', origin: 'https://git.acme.test' }, { fetch });
const serving = run('serve');
let url;
while (!url) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  try { url = JSON.parse(readFileSync('data/server.json', 'utf8')).url; } catch {}
}
const headers = { authorization: 'Bearer ' + adminKey, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const ask = async (path, body) => (await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })).text();
found.http = JSON.parse(await ask('/v1/analytics/' + projectId + '/annotations/count'));
const { paths, components } = JSON.parse(await ask('/openapi.json'));
found.openapi = paths['/v1/analytics/{projectId}/annotations/count'].get;
const described = JSON.stringify([paths, components]);
found.described = ['"motto":{', '"enum":["auto","acme","github"'].map((text) => described.includes(text));
found.tool = await ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count_marks', arguments: {} } });
found.tools = await ask('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
stop();
await serving;
console.log(JSON.stringify(found));
process.exit();
`;

interface Found {
  people: string;
  programs: unknown;
  help: string;
  completion: string;
  http: unknown;
  openapi: { operationId: string; summary: string; security: unknown };
  tool: string;
  tools: string;
  settings: string;
  shown: object;
  host: string;
  described: boolean[];
}
let found: Found;

beforeAll(() => {
  for (const part of ['server', 'shared']) cpSync(join(home, part), join(copy, part), { recursive: true });
  for (const part of ['node_modules', 'dist', 'package.json', 'CHANGELOG.md'])
    symlinkSync(join(home, part), join(copy, part));
  writeFileSync(join(copy, 'server/jobs/forge/acme.ts'), host);
  for (const [name, line, change] of changes) {
    const file = join(copy, name);
    const declared = readFileSync(file, 'utf8');
    const changed = declared.replace(line, change);
    expect(changed).not.toBe(declared);
    writeFileSync(file, changed);
  }
  writeFileSync(join(copy, 'ask.ts'), script);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['ask.ts'], { cwd: copy, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  found = JSON.parse(stdout) as Found;
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('an operation that is added to one file is there for requests and in their description', () => {
  expect(found.http).toEqual({ count: 1 });
  expect(found.openapi).toMatchObject({
    operationId: 'analytics.annotations.count',
    summary: 'How many annotations there are',
    security: [{ key: ['read'] }],
  });
});

test('it is there for models', () => {
  expect(found.tools).toContain('"name":"count_marks","title":"Number of annotations"');
  expect(found.tool).toContain('"structuredContent":{"count":1}');
});

test('it is there on the command line, in the help and for shells', () => {
  expect(found.people).toBe('1 annotations!\n');
  expect(found.programs).toEqual({ count: 1 });
  expect(found.help).toContain('\n       headcount annotation count <project> [--loud] [--json]\n');
  expect(found.help).toMatch(/\n {2}--loud +say it loud\n/);
  expect(found.completion).toMatch(/annotation\) words='[^']* count [^']*--loud/);
});

test('a setting that is added to one file is one of the command, of requests and of their description', () => {
  expect(found.settings).toMatch(/\n {2}--motto <text> +a motto of the site\n/);
  expect(found.completion).toMatch(/project\) words='[^']*--motto/);
  expect(found.shown).toMatchObject({ motto: 'Onwards' });
  expect(found.described[0]).toBe(true);
});

test('a code host that is added is found by its name, and can be chosen wherever the others can', () => {
  expect(found.host).toBe('acme');
  expect(found.settings).toMatch(/--forge <kind> +acme, github, /);
  expect(found.shown).toMatchObject({ forge: 'acme' });
  expect(found.described[1]).toBe(true);
});
