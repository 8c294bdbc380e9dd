import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeyReply, KeysReply, NewKeyReply } from '../../shared/accounts/admin.ts';
import { dayMs } from '../support/clock.ts';
import { type AdminRun, base, startAdminRun } from '../support/dashboard/admin-run.ts';
import { startHeadcount } from '../support/headcount.ts';

let { clock, headcount, client, pathOf, refusal } = {} as AdminRun;
beforeEach(async () => {
  ({ clock, headcount, client, pathOf, refusal } = await startAdminRun());
});
afterEach(() => headcount.stop());

describe('keys', () => {
  const list = async () => (await client.must<KeysReply>('GET', pathOf('/keys'))).keys;
  const visitors = async (key: string) =>
    (
      await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).status;

  test('are made, shown once, used and revoked', async () => {
    const made = await client.must<NewKeyReply>('POST', pathOf('/keys'), {
      name: ' laptop ',
      scope: 'admin',
    });
    const { secret, ...key } = made;
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'laptop',
      scope: 'admin',
      allProjects: false,
      createdAt: '2026-11-20T10:00:00.000Z',
      expiresAt: null,
      networks: [],
      madeBy: { kind: 'administrator', id: null, name: null },
      lastUsedOn: null,
    } satisfies Record<keyof KeyReply, unknown>);
    expect(await list()).toContainEqual(key);
    expect(await visitors(secret)).toBe(200);
    expect(await list()).toContainEqual({ ...key, lastUsedOn: '2026-11-20' });
    await client.must('DELETE', pathOf(`/keys/${key.id}`));
    expect(await visitors(secret)).toBe(401);
    expect((await refusal('DELETE', pathOf(`/keys/${key.id}`)))[0]).toBe(404);
  });

  test('tell the day of their last use, also after a restart, and not that of a refused one', async () => {
    await headcount.hits([]);
    await headcount.hits([{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: 'x' }]);
    expect(await visitors(headcount.rootKey)).toBe(200);
    clock.advance(dayMs);
    expect(await visitors(headcount.rootKey)).toBe(200);
    const used = (await list()).map(({ name, allProjects, lastUsedOn }) => [name, allProjects, lastUsedOn]);
    expect(used.toSorted()).toEqual([
      ['first admin key', false, null],
      ['first ingest key', false, '2026-11-20'],
      ['root', true, '2026-11-21'],
    ]);
    const second = await startHeadcount({ dataDir: headcount.dataDir, now: clock.now });
    expect(await second.context.keyUses.list()).toMatchObject(
      Object.fromEntries(
        (await list()).filter((key) => key.lastUsedOn).map((key) => [key.id, key.lastUsedOn]),
      ),
    );
    await second.stop();
  });

  test('of another project cannot be revoked here, those of all projects can', async () => {
    const other = await headcount.addProject();
    const { keys } = await client.must<KeysReply>('GET', `${base}/${other.projectId}/keys`);
    const foreign = keys.find(({ allProjects }) => !allProjects) as KeyReply;
    expect((await refusal('DELETE', pathOf(`/keys/${foreign.id}`)))[0]).toBe(404);
    const root = (await list()).find(({ allProjects }) => allProjects) as KeyReply;
    await client.must('DELETE', pathOf(`/keys/${root.id}`));
    expect(await visitors(headcount.rootKey)).toBe(401);
  });

  test.each([
    [{ scope: 'admin' }, ['name']],
    [{ name: ' ', scope: 'admin' }, ['name']],
    [{ name: 'x', scope: 'root' }, ['scope']],
    [{}, ['name', 'scope']],
  ])('are not made of %j', async (body, details) => {
    expect(await refusal('POST', pathOf('/keys'), body)).toEqual([400, expect.any(String), details]);
  });
});
