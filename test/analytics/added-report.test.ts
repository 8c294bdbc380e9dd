import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApi } from '../../server/description/openapi.ts';
import type { AddedProject } from '../../server/operations/projects.ts';
import { startShell } from '../support/browser.ts';
import { runStarted, type ServerProcess, type Start, startProcess } from '../support/child.ts';
import { dashboardClient, password } from '../support/dashboard/dashboard.ts';
import { openPage, panelOf } from '../support/dashboard/page.ts';
import { temporaryFolders, visit } from '../support/data-folders.ts';
import { engineEnvironment } from '../support/store/chosen-engine.ts';

// A dimension and a report of sums that somebody adds are declared, and no other line of the sources knows of them: a copy of
// them has both here.

const root = join(import.meta.dirname, '..', '..');
const newFolder = temporaryFolders();

const added = {
  'shared/reports/dimensions.ts': `
  theme: {
    ...{ number: 46, report: 'themes', from: 'page', panel: 'technology' },
    words: { title: 'Themes', head: 'Theme', empty: 'No themes in this period.' },
  },
} as const satisfies Record<string, DimensionRule>;`,
  'shared/reports/counters.ts': `
  'ai-moods': {
    ...{ number: 13, field: 'moods', summary: 'In which mood AI clients read' },
    ...{ groups: ['client'], name: 'mood', hits: 'views', amount: null, namesPaths: false },
    panel: { pages: ['ai'], head: client, numbers: [views] },
    tool: { name: 'read_ai_moods', title: 'Moods', description: 'Counts moods.' },
  },
} as const satisfies Record<string, CounterRule>;`,
};

let server: ServerProcess;
let project: AddedProject;

beforeAll(async () => {
  const copy = await newFolder();
  const sources = [
    'server',
    'shared',
    'dashboard',
    'package.json',
    'headcount.js',
    'own-node.js',
    'launch.sh',
  ];
  for (const name of [...sources, 'rolldown.dashboard.mjs', 'binary/licenses.ts', 'tsconfig.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'dist'));
  const built = readdirSync(join(root, 'dist')).filter((name) => /\.(js|bin|tgz)$/.test(name));
  for (const name of built) symlinkSync(join(root, 'dist', name), join(copy, 'dist', name));
  for (const [file, text] of Object.entries(added)) {
    const declared = readFileSync(join(copy, file), 'utf8');
    const end = text.slice(text.lastIndexOf('\n') + 1);
    expect(declared).toContain(end);
    writeFileSync(join(copy, file), declared.replace(end, text.trimStart()));
  }
  execFileSync(process.execPath, ['rolldown.dashboard.mjs'], { cwd: copy });
  const start: Start = (args, env) =>
    spawn(process.execPath, [join(copy, 'headcount.js'), ...args], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: join(copy, 'compiled'),
        HEADCOUNT_LOG_FORMAT: 'text',
        ...env,
      },
      stdio: 'pipe',
    });
  const env = { HEADCOUNT_DATA_DIR: await newFolder() };
  const engine = await engineEnvironment(env);
  const { stdout } = await runStarted(
    start(['project', 'add', '--name', 'Docs', '--json'], { ...env, ...engine }),
  );
  project = JSON.parse(stdout) as AddedProject;
  server = await startProcess(env, start);
});
afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
});

const authorization = () => ({ authorization: `Bearer ${project.adminKey}` });

async function ask(path: string): Promise<Response> {
  const response = await fetch(`${server.url}${path}`, { headers: authorization() });
  expect([path, response.status]).toEqual([path, 200]);
  return response;
}

const report = (name: string) => `/v1/analytics/${project.projectId}/${name}`;

test('views are counted as before', async () => {
  await visit(server, project, [1]);
});

test('it answers over HTTP, in JSON and as a file, and other reports can be limited to it', async () => {
  expect(await (await ask(report('themes'))).json()).toMatchObject({ themes: [], hasMore: false });
  expect(await (await ask(`${report('themes')}?format=csv`)).text()).toBe('"theme","human","ai","total"\r\n');
  expect(await (await ask(report('ai-moods'))).json()).toMatchObject({ moods: [], hasMore: false });
  expect(await (await ask(`${report('ai-moods')}?format=csv`)).text()).toBe('"client","mood","views"\r\n');
  expect(await (await ask(`${report('series')}?theme=dark`)).json()).toHaveProperty('days');
  const { reports } = (await (await ask(report('filters'))).json()) as { reports: object[] };
  expect(reports).toContainEqual({ report: 'themes', filters: [['theme']], combined: [] });
  expect(reports).toContainEqual({ report: 'ai-moods', filters: [['client']], combined: [] });
});

test('it is described by OpenAPI, on shared pages too where it is not for the owner alone', async () => {
  const { paths } = (await (await ask('/openapi.json')).json()) as OpenApi;
  expect(paths['/v1/analytics/{projectId}/themes']?.get?.summary).toBe('Visitors by theme');
  expect(paths['/v1/analytics/{projectId}/ai-moods']?.get?.summary).toBe('In which mood AI clients read');
  const shared = Object.keys(paths).filter((path) => /^\/v1\/share\/.*(themes|ai-moods)$/.test(path));
  expect(shared).toEqual(['/v1/share/{token}/themes']);
});

test('a model asks for it', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: authorization() };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  const call = async (name: string, given: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: given })).structuredContent;
  const { projectId } = project;
  expect(await call('read_visitors_by', { projectId, by: 'theme' })).toMatchObject({ themes: [] });
  expect(await call('read_ai_moods', { projectId })).toMatchObject({ moods: [] });
  await client.close();
});

test('it has a panel in the dashboard', async () => {
  const client = dashboardClient(server.url);
  const [, token] = /setup#([\w-]+)/.exec(server.output.stdout) ?? [];
  await client.must('POST', '/v1/admin/setup', { token, password });
  const browser = await startShell();
  try {
    const { page, open } = await openPage(browser, { url: server.url, client });
    await open(`/p/${project.projectId}?tech=themes`);
    const themes = panelOf(page, 'Themes');
    await themes.scrollIntoViewIfNeeded();
    await themes.getByText('No themes in this period.').waitFor();
    await open(`/p/${project.projectId}/ai`);
    const moods = panelOf(page, 'Moods');
    await moods.scrollIntoViewIfNeeded();
    await moods.locator('.empty').waitFor();
  } finally {
    await browser.close();
  }
});
