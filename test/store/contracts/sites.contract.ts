import { describe, expect, test } from 'vitest';
import type { View } from '../../../server/counting/view.ts';
import { maxRobotsVersions, type RobotsVersion } from '../../../server/store/sites.ts';
import type { Store } from '../../../server/store/store.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, openDay, view } from '../../support/views.ts';

const hourMs = 3_600_000;
const now = Date.parse('2026-11-20T10:00:00Z');

export function testSiteStore(engine: Engine): void {
  describe(`what the ${engine.name} store keeps of sites`, () => {
    let store: Store;
    const robots = (changes: Partial<RobotsVersion> = {}): RobotsVersion => ({
      projectId: 'p1',
      host: 'docs.example.com',
      knownAt: now,
      status: 'found',
      text: 'User-agent: *\nDisallow: /ä\t"\'',
      ...changes,
    });

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('versions of robots.txt are told from a time on, oldest first, and the oldest are forgotten', async () => {
      await addProject(store, 'p2');
      await store.sites.keepRobots(robots({ knownAt: now + 5, status: 'missing', text: '' }));
      await store.sites.keepRobots(robots());
      await store.sites.keepRobots(robots({ text: 'another at the same time' }));
      await store.sites.keepRobots(robots({ projectId: 'p2', knownAt: now + 1 }));
      await store.sites.keepRobots(robots({ projectId: 'gone' }));
      const other = await engine.open();
      expect(await other.sites.listRobots(0)).toEqual([
        robots(),
        robots({ projectId: 'p2', knownAt: now + 1 }),
        robots({ knownAt: now + 5, status: 'missing', text: '' }),
      ]);
      await other.close();
      expect(await store.sites.listRobots(now + 1)).toHaveLength(2);
      for (let i = 0; i < maxRobotsVersions; i++)
        await store.sites.keepRobots(robots({ knownAt: now + 10 + i }));
      const kept = await store.sites.listRobots(0);
      expect(kept.filter(({ projectId }) => projectId === 'p1').map(({ knownAt }) => knownAt - now)).toEqual(
        Array.from({ length: maxRobotsVersions }, (_, i) => 10 + i),
      );
      expect(kept.filter(({ projectId }) => projectId === 'p2')).toHaveLength(1);
    });

    test('a sitemap is replaced by a later one, and goes with its project', async () => {
      expect(await store.sites.readSitemap('p1')).toBeNull();
      expect(await store.sites.sitemapTime('p1')).toBeNull();
      const copy = { projectId: 'p1', host: 'docs.example.com', fetchedAt: now, pages: '[["/ä",null]]' };
      await store.sites.keepSitemap(copy);
      const later = { ...copy, host: 'www.example.com', fetchedAt: now + 1, pages: '[]' };
      await store.sites.keepSitemap(later);
      await store.sites.keepSitemap({ ...copy, projectId: 'gone' });
      expect(await store.sites.readSitemap('p1')).toEqual(later);
      expect(await store.sites.sitemapTime('p1')).toBe(now + 1);
      await store.sites.keepRobots(robots());
      await store.sites.claimSite({ projectId: 'p1', host: 'www.example.com', now, dueAt: now + 1 });
      expect(await store.removeProject('p1')).toBe(true);
      expect(await store.sites.readSitemap('p1')).toBeNull();
      expect(await store.sites.listRobots(0)).toEqual([]);
      expect(await store.sites.readSite('p1')).toBeNull();
    });

    test('a site is looked at by one node, and by the next when it is due, it was settled so, or its host is another', async () => {
      const other = await engine.open();
      const look = { projectId: 'p1', host: 'docs.example.com', now, dueAt: now + hourMs };
      const claims = await Promise.all([store.sites.claimSite(look), other.sites.claimSite(look)]);
      expect(claims.toSorted()).toEqual([false, true]);
      expect(await store.sites.readSite('p1')).toEqual({ host: look.host, fetchedAt: null, trouble: '' });
      expect(await other.sites.claimSite({ ...look, now: now + hourMs - 1 })).toBe(false);
      const again = { ...look, now: now + hourMs, dueAt: now + 2 * hourMs };
      expect(await other.sites.claimSite(again)).toBe(true);
      await other.sites.settleSite({ ...again, dueAt: now + 24 * hourMs, trouble: 'It was late.' });
      expect(await store.sites.readSite('p1')).toEqual({
        host: look.host,
        fetchedAt: again.now,
        trouble: 'It was late.',
      });
      expect(await store.sites.claimSite({ ...look, now: now + 23 * hourMs })).toBe(false);
      expect(await store.sites.claimSite({ ...look, host: 'www.example.com' })).toBe(true);
      // Whoever looked at the old host is too late.
      await other.sites.settleSite({ ...again, dueAt: now, trouble: 'Of the old one.' });
      expect((await store.sites.readSite('p1'))?.trouble).toBe('It was late.');
      expect(await store.sites.claimSite({ ...look, projectId: 'gone' })).toBe(false);
      await other.close();
    });

    test('when pages were read is found as a recount of the days finds it', async () => {
      const days = Array.from({ length: 300 }, (_, i) => 20_003 + i);
      const clients = ['GPTBot', 'ClaudeBot'] as const;
      const isRead = (day: number, page: number, client: number) =>
        (day * 7 + page * 13 + client * 5) % (3 + page ** 3) === 0;
      for (const day of days) {
        await openDay(store, 'p1', day, anySalt());
        const views = [0, 1, 2, 3, 4, 5, 6].flatMap((page) =>
          clients.flatMap((name, client): View[] =>
            isRead(day, page, client)
              ? [
                  view({
                    day,
                    path: `/${page}`,
                    kind: 'ai',
                    visitor: BigInt(client),
                    client: { name, proof: 'claimed' },
                  }),
                ]
              : [],
          ),
        );
        await store.countViews([view({ day, path: '/6' }), ...views], []);
      }
      await store.seal('p1', 20_290);
      const pages = [0, 1, 2, 3, 4, 5, 6].flatMap((page) =>
        [null, 19_000, 20_003, 20_100, 20_257, 20_300, 30_000].map((since) => ({ path: `/${page}`, since })),
      );
      for (const client of [null, ...clients]) {
        const readOn = (path: string) =>
          days.filter((day) =>
            clients.some(
              (name, i) => (client === null || client === name) && isRead(day, Number(path.slice(1)), i),
            ),
          );
        const expected = pages.map(({ path, since }) => {
          const read = readOn(path);
          const later = since === null ? undefined : read.find((day) => day >= since);
          return { first: read[0] ?? null, last: read.at(-1) ?? null, since: later ?? null };
        });
        expect(await store.findReads({ projectId: 'p1', client, pages })).toEqual(expected);
        for (const from of [19_000, 20_150, 20_289, 20_302, 30_000]) {
          const found = await store.listReadPaths({ projectId: 'p1', client, from });
          const recounted = [0, 1, 2, 3, 4, 5, 6]
            .map((page) => `/${page}`)
            .filter((path) => readOn(path).some((day) => day >= from));
          expect(found.toSorted()).toEqual(recounted);
        }
      }
      const never = { first: null, last: null, since: null };
      const wanted = [{ path: '/none', since: 1 }];
      for (const query of [
        { client: null },
        { client: 'GPTBot' },
        { client: 'none' },
        { projectId: 'none', client: null },
      ]) {
        expect(await store.findReads({ projectId: 'p1', pages: wanted, ...query })).toEqual([never]);
      }
      expect(await store.findReads({ projectId: 'p1', client: null, pages: [] })).toEqual([]);
    });
  });
}
