import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Count } from '../../shared/reports/analytics.ts';
import {
  agent,
  appear,
  clientsOf,
  countsOf,
  drivenSite,
  glow,
  pass,
  person,
  settles,
  vanish,
  viewsOf,
} from '../support/tracker/agent-visit.ts';
import { html, visits } from '../support/tracker/visit.ts';

const startVisit = visits();
const site = () => drivenSite(startVisit);

describe('an agent that takes over the page of a person', () => {
  test('adds an AI view of the same visitor, and no second view of the person', async () => {
    const visit = await startVisit((tag) => ({
      '/': html(tag(), `<script>onload = () => setTimeout(() => { ${appear} }, 200)</script>`),
    }));
    await visit.open('/');
    await settles(visit, { '/': { human: 1, ai: 1, total: 2 } });
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
    expect(await countsOf(visit, 'visitors')).toEqual({ '/': { human: 1, ai: 1, total: 1 } });
    expect((await visit.get<{ totals: Count }>('visitors')).totals).toEqual({ human: 1, ai: 1, total: 1 });
    expect(await visit.get('ai-clients')).toMatchObject({
      clients: [{ client: 'Claude in Chrome', proof: 'inferred', visitors: 1, views: 1 }],
    });
  });

  test('names no source of its own', async () => {
    const visit = await site();
    const hits: unknown[] = [];
    visit.context.on('request', (request) => {
      if (request.url().endsWith('/v1/hit')) hits.push(JSON.parse(request.postData() ?? ''));
    });
    await visit.open('/docs?page=2#part');
    await visit.run(appear);
    await expect.poll(() => hits).toHaveLength(2);
    const u = `${visit.site.url}/docs?page=2`;
    const p = visit.projectId;
    expect(hits).toEqual([
      { p, u, r: '', a: '', s: 5 },
      { p, u, r: u, a: 'c', s: 5 },
    ]);
    await settles(visit, { '/docs?page=2': { human: 1, ai: 1, total: 2 } });
    expect(await visit.get('sources')).toMatchObject({ sources: [{ source: '(direct)', human: 1, ai: 0 }] });
  });

  test('counts once however often its mark comes and goes, and once more where the page comes back', async () => {
    const visit = await site();
    await visit.open('/');
    for (let times = 0; times < 3; times++) {
      await visit.run(appear);
      await pass(visit);
      await visit.run(vanish);
      await pass(visit);
    }
    expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 } });
    await visit.open('/next');
    await visit.page.goBack({ waitUntil: 'commit' });
    await settles(visit, { '/': { human: 2, ai: 1, total: 3 }, '/next': person() });
    await visit.run(appear);
    await settles(visit, { '/': { human: 2, ai: 2, total: 4 }, '/next': person() });
  });

  test('counts beside another one that is there already', async () => {
    const visit = await site();
    await visit.open('/driven');
    await visit.run(`document.body.setAttribute('nova-act-id', '7')`);
    await settles(visit, { '/driven': agent(2) });
    expect((await clientsOf(visit)).sort()).toEqual(['Amazon Nova Act', 'Claude in Chrome']);
  });

  test('counts for the page that it leaves at once, by a link or inside an app', async () => {
    const visit = await site();
    await visit.open('/');
    await visit.run(`${appear}; history.pushState({}, '', '/pushed'); ${vanish};`);
    await settles(visit, { '/': { human: 1, ai: 1, total: 2 }, '/pushed': person() });
    await visit.run(`${appear}; location.href = '/next';`);
    await settles(visit, {
      '/': { human: 1, ai: 1, total: 2 },
      '/pushed': { human: 1, ai: 1, total: 2 },
      '/next': person(),
    });
  });
});

describe('an agent that is there from the beginning', () => {
  test('makes the view an AI view alone', async () => {
    const visit = await site();
    await visit.open('/driven');
    await settles(visit, { '/driven': agent() });
    await pass(visit);
    expect(await countsOf(visit, 'visitors')).toEqual({ '/driven': agent() });
    expect(await viewsOf(visit)).toEqual({ '/driven': agent() });
  });

  test('makes AI views of all pages of an app, until it is gone', async () => {
    const visit = await site();
    await visit.open('/driven');
    await visit.run(`history.pushState({}, '', '/one')`);
    await visit.run(`history.pushState({}, '', '/two'); headcount('/step');`);
    await settles(visit, { '/driven': agent(), '/one': agent(), '/two': agent(), '/step': agent() });
    await visit.run(`${vanish}; history.pushState({}, '', '/three');`);
    await settles(visit, {
      '/driven': agent(),
      '/one': agent(),
      '/two': agent(),
      '/step': agent(),
      '/three': person(),
    });
  });
});

describe('where nobody is counted, no agent is', () => {
  test('as the browser says, or its owner', async () => {
    const visit = await startVisit((tag) => ({
      '/respectful': html(tag('data-respect-gpc')),
      '/': html(tag()),
    }));
    await visit.context.addInitScript(
      `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`,
    );
    await visit.open('/respectful');
    await visit.run(appear);
    await pass(visit);
    await visit.open('/');
    await visit.run(`localStorage['headcount.ignore'] = ''; ${appear};`);
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({ '/': person() });
    expect(visit.problems).toEqual([]);
  });

  test('before a page with data-manual counts its first view', async () => {
    const visit = await startVisit((tag) => ({ '/': html(tag('data-manual'), glow) }));
    await visit.open('/');
    await pass(visit);
    expect(await viewsOf(visit)).toEqual({});
    await visit.run(`headcount('/manual')`);
    await settles(visit, { '/manual': agent() });
    expect(visit.problems).toEqual([]);
  });
});

test('the module tells of agents too, until it is stopped', async () => {
  const visit = await startVisit((_tag, server, projectId) => ({
    '/headcount.js': async () => ({
      body: await readFile(join(import.meta.dirname, '..', '..', 'dist', 'headcount.js')),
      headers: { 'Content-Type': 'text/javascript' },
    }),
    '*': html(`<script type="module">
      import { start } from '/headcount.js';
      document.tracker = start({ project: '${projectId}', server: '${server}' });
    </script>`),
  }));
  await visit.open('/');
  await visit.run(appear);
  await settles(visit, { '/': { human: 1, ai: 1, total: 2 } });
  await visit.run(vanish);
  await visit.open('/stopped');
  await settles(visit, { '/': { human: 1, ai: 1, total: 2 }, '/stopped': person() });
  await visit.run(`document.tracker.stop(); ${appear};`);
  await pass(visit);
  expect(await viewsOf(visit)).toEqual({ '/': { human: 1, ai: 1, total: 2 }, '/stopped': person() });
});
