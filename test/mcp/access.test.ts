import { describe, expect, test } from 'vitest';
import { errorOf } from '../support/headcount.ts';
import { call, mcpRun } from '../support/mcp.ts';

const mcp = mcpRun();

describe('a key', () => {
  test('for all projects names one, and is told which there are', async () => {
    const client = await mcp.connect(mcp.headcount.rootKey);
    expect(await call(client, 'read_visitors')).toMatch(/name one as projectId; list_projects returns them/);
    expect(await call(client, 'list_projects')).toMatchObject({
      projects: [{ id: mcp.headcount.projectId }],
    });
    expect(await call(client, 'read_visitors', { projectId: mcp.headcount.projectId })).toHaveProperty(
      'totals',
    );
    expect(await call(client, 'read_visitors', { projectId: 'none' })).toMatch(/^There is no such project/);
  });

  test('of another project sees nothing of this one', async () => {
    const other = await mcp.headcount.addProject();
    const client = await mcp.connect(other.adminKey);
    expect(await call(client, 'read_visitors', { projectId: mcp.headcount.projectId })).toMatch(
      /^No access to project "/,
    );
    expect(await call(client, 'list_projects')).toMatchObject({ projects: [{ id: other.projectId }] });
  });

  test('that may only send views may not ask', async () => {
    expect((await mcp.send({ authorization: `Bearer ${mcp.headcount.ingestKey}` })).status).toBe(403);
    await expect(mcp.connect(mcp.headcount.ingestKey)).rejects.toThrow();
  });

  const madeKey = async (given: object) => {
    const response = await fetch(`${mcp.headcount.url}/v1/projects/${mcp.headcount.projectId}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mcp.headcount.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'model', ...given }),
    });
    return ((await response.json()) as { secret: string }).secret;
  };

  test('is offered the tools that it may use, and refused the others in words', async () => {
    const all = (await (await mcp.connect(mcp.headcount.adminKey)).listTools()).tools;
    const reading = await mcp.connect(await madeKey({ scope: 'read' }));
    const offered = (await reading.listTools()).tools;
    expect(offered).toEqual(all.filter(({ annotations }) => annotations?.readOnlyHint));
    expect(await call(reading, 'read_visitors')).toHaveProperty('totals');
    expect(await call(reading, 'list_projects')).toMatchObject({
      projects: [{ id: mcp.headcount.projectId, repository: null }],
    });
    expect(await call(reading, 'start_job', { prompt: 'Mend a typo.' })).toBe(
      'This needs a key with the scope jobs or admin, and this one has the scope read.',
    );
    const working = await mcp.connect(await madeKey({ scope: 'jobs' }));
    const more = (await working.listTools()).tools.filter(
      ({ name }) => !offered.some((one) => one.name === name),
    );
    expect(more.map(({ name }) => name)).toEqual([
      ...['fix_fault', 'fix_faults', 'start_job', 'message_job', 'stop_job', 'revert_job'],
    ]);
    const job = (await call(working, 'start_job', { prompt: 'Mend a typo.' })) as { id: string };
    expect(job).toMatchObject({ status: 'active' });
    expect(await call(working, 'archive_job', { jobId: job.id })).toBe(
      'This needs a key with the scope admin, and this one has the scope jobs.',
    );
    expect(await call(working, 'add_annotation', { text: 'Release' })).toMatch(/scope admin/);
  });

  test('with networks asks from there alone, also through its tools', async () => {
    const authorization = `Bearer ${await madeKey({ scope: 'read', networks: ['192.0.2.0/24'] })}`;
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_visitors', arguments: {} },
    };
    const asked = async (from: string) => {
      const response = await mcp.send({ authorization, 'x-forwarded-for': from }, message);
      return [response.status, await response.text()];
    };
    expect(await asked('192.0.2.7')).toEqual([200, expect.stringContaining('totals')]);
    expect(await asked('203.0.113.7')).toEqual([403, expect.stringContaining('may not be used from')]);
  });

  test('that is missing or wrong is asked for', async () => {
    for (const headers of [{}, { authorization: 'Bearer hc_admin_wrong' }]) {
      const refused = await mcp.send(headers as Record<string, string>);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  test('has its limits here too, reported in words', async () => {
    const { projectId, adminKey } = await mcp.headcount.addProject({
      repository: 'https://git.example.com/ada/site',
      model: 'anthropic/claude-opus-4-5',
    });
    const client = await mcp.connect(adminKey);
    const jobs = Array.from({ length: 100 }, (_, i) => call(client, 'start_job', { prompt: `Job ${i}` }));
    await Promise.all(jobs);
    expect(await call(client, 'start_job', { prompt: 'One more' })).toMatch(
      /^A project may have 100 jobs within 60 minutes: send the next one in \d+ s\.$/,
    );
    const path = `/v2/agent/${projectId}/job`;
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ prompt: 'By the API' });
    expect((await fetch(mcp.headcount.url + path, { method: 'POST', headers, body })).status).toBe(429);
  });
});

test('what is against the schema of a tool is refused in words', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  expect(await call(client, 'read_visitors', { limit: 1000 })).toMatch(/limit/);
  expect(await call(client, 'read_visitors', { dateFrom: '2026-02-30' })).toContain(
    'is not a date that exists',
  );
  expect(await call(client, 'start_job', { prompt: ' ' })).toContain('must not be empty');
});

test('every tool names an argument that it does not know, and the nearest', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const known = Object.keys(inputSchema.properties ?? {});
    const given = Object.fromEntries((inputSchema.required ?? []).map((argument) => [argument, 'x']));
    const answer = await call(client, name, { ...given, from: 'x', zzzzzz: 1 });
    expect([name, answer]).toEqual([name, expect.stringContaining('unknown argument "zzzzzz".')]);
    if (!known.includes('from'))
      expect(answer).toContain(
        known.includes('dateFrom')
          ? 'unknown argument "from"; did you mean "dateFrom"?'
          : 'unknown argument "from"',
      );
    expect(answer).toContain(
      known.length === 0 ? `${name} takes none.` : `${name} takes: ${known.join(', ')}.`,
    );
    expect(answer).not.toContain('additional properties');
  }
  expect(await call(client, 'read_visitors', { _meta: 'x' })).toHaveProperty('totals');
});

test('every tool names each argument that is missing', async () => {
  const client = await mcp.connect(mcp.headcount.adminKey);
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const required = inputSchema.required ?? [];
    if (required.length === 0) continue;
    const answer = await call(client, name, {});
    for (const argument of required) expect(answer).toContain(`The argument "${argument}" is missing.`);
    expect(answer).not.toContain('must have');
  }
});

test('a page elsewhere may not ask, whatever key it has', async () => {
  const authorization = `Bearer ${mcp.headcount.adminKey}`;
  const foreign = await mcp.send({ authorization, origin: 'https://evil.example' });
  expect([foreign.status, (await errorOf(foreign)).error]).toEqual([
    403,
    expect.stringContaining('evil.example'),
  ]);
  expect((await mcp.send({ authorization, origin: 'null' })).status).toBe(403);
  // A page that had its name lead here would send both of its own.
  expect(
    (await mcp.send({ authorization, origin: 'http://evil.example', host: 'evil.example' })).status,
  ).toBe(403);
  expect((await mcp.send({ authorization, origin: 'http://localhost:6274' })).status).toBe(200);
});

test('a client of the older protocol is served as well, and its notifications are taken', async () => {
  const headers = { authorization: `Bearer ${mcp.headcount.adminKey}`, 'mcp-protocol-version': '2025-06-18' };
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'old', version: '1.0.0' },
  };
  const opened = await mcp.send(headers, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect([opened.status, opened.headers.get('mcp-session-id')]).toEqual([200, null]);
  expect(await opened.text()).toContain('"protocolVersion":"2025-06-18"');
  const noted = await mcp.send(headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(noted.status).toBe(202);
});

test('there are no sessions to open or to end', async () => {
  const headers = { authorization: `Bearer ${mcp.headcount.adminKey}` };
  for (const method of ['GET', 'DELETE']) {
    const refused = await fetch(`${mcp.headcount.url}/mcp`, { method, headers });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
  }
});
