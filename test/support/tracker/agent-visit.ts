import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import type { ClientsReply, Count } from '../../../shared/reports/analytics.ts';
import { html, type StartVisit, type Visit } from './visit.ts';

export const person = (count = 1): Count => ({ human: count, ai: 0, total: count });
export const agent = (count = 1): Count => ({ human: 0, ai: count, total: count });

export async function countsOf(visit: Visit, report: 'visitors' | 'views'): Promise<Record<string, Count>> {
  const reply = await visit.get<Record<string, (Count & { path: string })[]>>(report);
  return Object.fromEntries((reply[report] ?? []).map(({ path, ...count }) => [path, count]));
}

export const viewsOf = (visit: Visit): Promise<Record<string, Count>> => countsOf(visit, 'views');

export const clientsOf = async (visit: Visit): Promise<string[]> =>
  (await visit.get<ClientsReply>('ai-clients')).clients.map(({ client }) => client);

/** Waits until exactly these views are counted. */
export const settles = (visit: Visit, views: Record<string, Count>): Promise<void> =>
  expect.poll(() => viewsOf(visit)).toEqual(views);

/** Longer than from one look of the tracker to the next, so that whatever it would send is sent. */
export const pass = (visit: Visit): Promise<void> => visit.page.waitForTimeout(1500);

/** What an agent at work leaves in the page; `appear` and `vanish` are scripts that add and remove it. */
export const glow = '<div id="claude-agent-glow-border"></div>';
export const appear = `document.body.insertAdjacentHTML('beforeend', '${glow}')`;
export const vanish = `document.getElementById('claude-agent-glow-border').remove()`;

/** No agent is at work in its pages, but for `/driven`. */
export const drivenSite = (startVisit: StartVisit, options?: BrowserContextOptions): Promise<Visit> =>
  startVisit((tag) => ({ '*': html(tag()), '/driven': html(tag(), glow) }), options);
