import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LinkReply, LinksReply } from '../../shared/accounts/admin.ts';
import { type AdminRun, base, startAdminRun } from '../support/dashboard/admin-run.ts';

let { headcount, client, pathOf, refusal } = {} as AdminRun;
beforeEach(async () => {
  ({ headcount, client, pathOf, refusal } = await startAdminRun());
});
afterEach(() => headcount.stop());

describe('links', () => {
  test('are made, listed with their address, and revoked', async () => {
    const page = await client.must<LinkReply>('POST', pathOf('/links'), { kind: 'page' });
    const badge = await client.must<LinkReply>('POST', pathOf('/links'), { kind: 'badge' });
    const origin = headcount.url.replace('127.0.0.1', 'localhost');
    expect(page.url).toMatch(new RegExp(`^${origin}/share/\\w{28}$`));
    expect(badge.url).toMatch(new RegExp(`^${origin}/badge/\\w{28}\\.svg$`));
    const list = async () => (await client.must<LinksReply>('GET', pathOf('/links'))).links;
    expect(new Set(await list())).toEqual(new Set([page, badge]));
    await client.must('DELETE', pathOf(`/links/${page.id}`));
    expect(await list()).toEqual([badge]);
    expect((await refusal('DELETE', pathOf(`/links/${page.id}`)))[0]).toBe(404);
  });

  test('of another project are neither listed nor revoked here', async () => {
    const other = await headcount.addProject();
    const link = await client.must<LinkReply>('POST', `${base}/${other.projectId}/links`, { kind: 'page' });
    expect((await client.must<LinksReply>('GET', pathOf('/links'))).links).toEqual([]);
    expect((await refusal('DELETE', pathOf(`/links/${link.id}`)))[0]).toBe(404);
    expect(await refusal('POST', pathOf('/links'), { kind: 'x' })).toEqual([
      400,
      expect.any(String),
      ['kind'],
    ]);
  });
});
