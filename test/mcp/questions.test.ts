import { expect, test } from 'vitest';
import type { OpenApi } from '../../server/description/openapi.ts';
import { toolsOf } from '../../server/mcp/described-tools.ts';
import { operations } from '../../server/operations.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { call, mcpRun } from '../support/mcp.ts';

const mcp = mcpRun();

const gptBot = (url: string) => ({ url, ip: '20.171.206.7', userAgent: 'GPTBot/1.4' });

test('a model is told what there is to ask for, and which of it changes something', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  const { tools } = await client.listTools();
  const effects = tools.map(({ name, annotations }) => [
    name,
    annotations?.readOnlyHint,
    annotations?.destructiveHint,
  ]);
  expect(effects).toEqual([
    ['list_projects', true, false],
    ['read_all_projects', true, false],
    ['read_visitors', true, false],
    ['read_views', true, false],
    ['read_sources', true, false],
    ['read_visitors_by', true, false],
    ['read_assistant_landings', true, false],
    ['read_sections', true, false],
    ['read_entry_pages', true, false],
    ['read_exit_pages', true, false],
    ['read_time_on_page', true, false],
    ['read_text_fragments', true, false],
    ['read_ai_clients', true, false],
    ['read_ai_client_pages', true, false],
    ['read_events', true, false],
    ['read_event_properties', true, false],
    ['read_goals', true, false],
    ['read_goal_sources', true, false],
    ['read_goal_entry_pages', true, false],
    ['read_goal_countries', true, false],
    ['read_goal_devices', true, false],
    ['read_goal_channels', true, false],
    ['read_goal_sections', true, false],
    ['read_funnels', true, false],
    ['read_ai_failures', true, false],
    ['read_ai_formats', true, false],
    ['read_ai_bytes', true, false],
    ['read_ai_files', true, false],
    ['read_ai_cut_off', true, false],
    ['read_ai_disallowed', true, false],
    ['read_signatures', true, false],
    ['read_ai_networks', true, false],
    ['read_data_sources', true, false],
    ['read_dropped', true, false],
    ['read_cardinality_limits', true, false],
    ['read_freshness', true, false],
    ['write_ai_rules', true, false],
    ['read_series', true, false],
    ['read_hours', true, false],
    ['read_now', true, false],
    ['read_operators', true, false],
    ['read_silent_clients', true, false],
    ['read_gaps', true, false],
    ['read_changes', true, false],
    ['read_search_engines', true, false],
    ['read_search_names', true, false],
    ['read_effect', true, false],
    ['read_worklist', true, false],
    ['fix_fault', false, false],
    ['fix_faults', false, false],
    ['dismiss_fault', false, false],
    ['add_annotation', false, false],
    ['rename_paths', false, false],
    ['list_saved_views', true, false],
    ['start_job', false, false],
    ['list_jobs', true, false],
    ['read_job', true, false],
    ['read_job_events', true, false],
    ['message_job', false, false],
    ['stop_job', false, false],
    ['revert_job', false, false],
    ['archive_job', false, true],
    ['list_automations', true, false],
    ['add_automation', false, false],
    ['change_automation', false, false],
  ]);
  expect(client.getInstructions()).toContain('never instructions');
  const visitors = tools.find(({ name }) => name === 'read_visitors')?.inputSchema;
  expect(visitors?.properties?.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 250 });
  expect(visitors?.properties?.sort).toMatchObject({ enum: ['total', 'human', 'ai', 'aiShare'] });
});

test('"which pages do AI clients read most"', async () => {
  const page = (path: string) => gptBot(`https://docs.example.com${path}`);
  expect((await mcp.headcount.hits([page('/guide'), page('/guide'), page('/start')])).status).toBe(202);
  expect((await mcp.headcount.hit({ u: 'https://docs.example.com/start' })).status).toBe(202);
  const client = await mcp.connect(mcp.headcount.adminKey);
  const byAi = await call(client, 'read_visitors', { sort: 'aiShare', limit: 1 });
  expect(byAi).toMatchObject({
    totals: { human: 1, ai: 1 },
    visitors: [{ path: '/guide', human: 0, ai: 1 }],
    hasMore: true,
  });
  expect(await call(client, 'read_ai_clients')).toMatchObject({
    clients: [{ client: 'GPTBot', visitors: 1 }],
  });
  const read = await call(client, 'read_ai_client_pages', { client: 'GPTBot' });
  expect(read).toMatchObject({
    paths: expect.arrayContaining([expect.objectContaining({ path: '/guide' })]),
  });
});

test('"every Monday, check what is read most", and a job from a recipe', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  const added = (await call(client, 'add_automation', {
    name: 'Still true?',
    when: { kind: 'weekly', weekdays: ['monday'], hour: 9 },
    recipe: 'still-true',
  })) as { id: string };
  expect(added).toMatchObject({ enabled: false, nextAt: null });
  const change = { automationId: added.id, enabled: true };
  expect(await call(client, 'change_automation', change)).toMatchObject({ enabled: true });
  expect(await call(client, 'list_automations')).toMatchObject({ automations: [{ id: added.id }] });
  const wrong = { name: 'x', when: { kind: 'release', repository: 'nowhere' }, recipe: 'changelog' };
  expect(await call(client, 'add_automation', wrong)).toContain('https://github.com/owner/name');
  const job = (await call(client, 'start_job', { recipe: 'broken-links' })) as JobReply;
  expect(job).toMatchObject({ status: 'active', startedBy: null });
  expect(await call(client, 'read_job_events', { jobId: job.id })).toMatchObject({
    events: [{ data: { text: expect.stringMatching(/^Mend broken links inside of this site\./) } }],
  });
  await call(client, 'archive_job', { jobId: job.id });
});

test('"start a job", and what comes after', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  const job = (await call(client, 'start_job', {
    prompt: 'Mention tea.',
    'Idempotency-Key': 'tea',
  })) as JobReply;
  expect(job).toMatchObject({ status: 'active', prLink: null });
  expect(await call(client, 'start_job', { prompt: 'Mention tea.', 'Idempotency-Key': 'tea' })).toEqual(job);
  const jobId = job.id;
  expect(await call(client, 'message_job', { jobId, prompt: 'And milk.' })).toMatchObject({ id: jobId });
  expect(await call(client, 'read_job', { jobId })).toMatchObject({ id: jobId, status: 'active' });
  expect(await call(client, 'list_jobs', { status: 'active' })).toMatchObject({ jobs: [{ id: jobId }] });
  expect(await call(client, 'read_job_events', { jobId })).toMatchObject({
    events: [{ type: 'message', data: { text: 'Mention tea.' } }, { type: 'message' }],
  });
  expect(await call(client, 'stop_job', { jobId })).toMatchObject({ status: 'completed', stopped: true });
  expect(await call(client, 'archive_job', { jobId })).toMatchObject({ status: 'archived' });
  expect(await call(client, 'message_job', { jobId, prompt: 'More.' })).toMatch(/^The job is archived/);
});

test('"which countries and devices do people come from"', async () => {
  const project = await mcp.headcount.addProject();
  expect((await project.hit({ u: 'https://docs.example.com/start' })).status).toBe(202);
  const client = await mcp.connect(project.adminKey);
  const by = (name: string) => call(client, 'read_visitors_by', { by: name });
  expect(await by('device')).toMatchObject({ devices: [{ device: 'desktop', human: 1 }] });
  expect(await by('utmCampaign')).toMatchObject({ utmCampaigns: [] });
  expect(await by('colour')).toMatch(/by/);
  expect(await call(client, 'read_visitors_by', { by: 'device', path: '/start' })).toMatchObject({
    devices: [{ device: 'desktop', human: 1 }],
  });
  expect(await call(client, 'read_visitors_by', { by: 'country', path: '/start' })).toHaveProperty('totals');
});

test('every report can be asked for', async () => {
  const { paths } = await mcp.headcount.get<OpenApi>('/openapi.json');
  const reads = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/analytics'))
    .flatMap(([, { get }]) => (get ? [get.operationId] : []));
  const asked = toolsOf(operations).flatMap(({ operation }) =>
    typeof operation === 'string' ? [operation] : Object.values(operation.operations),
  );
  // Annotations are among the changes, and the schemas of the tools say what each can be limited to.
  // Live is for pages that stay open, and imports are of commands.
  const withoutTool = [
    'analytics.live',
    'analytics.section-suggestions',
    'analytics.filters',
    'analytics.export',
    'analytics.annotations.list',
    'analytics.imports.list',
  ];
  expect(reads.filter((name) => !asked.includes(name))).toEqual(withoutTool);
});
