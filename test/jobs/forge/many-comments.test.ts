import { describe, expect, test } from 'vitest';
import { below } from '../../../server/jobs/forge/forge.ts';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import type { Pull } from '../../support/forge/api.ts';
import { names, open, plan, server, slug, useForges } from '../../support/forge/forges.ts';

useForges();

const kinds: [name: string, kind: ForgeKind, pagesComments: boolean][] = [
  ...names.map((name): [string, ForgeKind, boolean] => [name, name, false]),
  ['Forgejo', 'gitea', true],
];
const many = 450;

/** Talk of others, a second after the other. */
function talk(pull: Pull, from: number): void {
  for (let n = 0; n < many; n++) server.post(pull, { by: 'bert', text: `Number ${n}`, at: from + n * 1_000 });
}

test.each(names)('of many checks at %s the last one counts, too', async (kind) => {
  const ensured = await open(kind).ensurePullRequest(await plan());
  if (ensured.kind === 'nothing') throw new Error('It was not opened.');
  const others = Array.from(
    { length: 250 },
    (_, n) => ({ name: `Number ${n}`, state: n % 2 === 0 ? 'success' : 'failure', text: '' }) as const,
  );
  server.checks.set(ensured.pullRequest.headCommit, [
    ...others,
    { name: 'links', state: 'failure', text: 'A dead one.' },
  ]);
  const { state, failed } = await open(kind).readChecks(ensured.pullRequest);
  expect([state, failed.length, failed.at(-1)?.name]).toEqual(['failed', 126, 'links']);
});

describe.each(kinds)('a pull request at %s where many talk', (_name, kind, pagesComments) => {
  const start = async () => {
    server.pagesComments = pagesComments;
    const ensured = await open(kind).ensurePullRequest(await plan());
    if (ensured.kind === 'nothing') throw new Error('It was not opened.');
    const pull = (await server.find(slug, 1)) as Pull;
    return { pull, found: ensured.pullRequest };
  };

  test('is read to its last comment, and from where it was read before', async () => {
    const { pull, found } = await start();
    const from = Date.now() - 3_600_000;
    talk(pull, from);
    const all = await open(kind).listComments(found, from);
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: many }, (_, n) => `Number ${n}`));
    const late = await open(kind).listComments(found, from + (many - 2) * 1_000);
    expect(late.map(({ text }) => text)).toEqual([`Number ${many - 2}`, `Number ${many - 1}`]);
  });

  test.each(['comment', 'review', 'line'] as const)(
    'hides no %s of a member behind those of a stranger',
    async (place) => {
      const { pull, found } = await start();
      // Not every host has reviews with words.
      if (place === 'review' && kind !== 'github' && kind !== 'gitea') return;
      const from = Date.now() - 3_600_000;
      const where =
        place === 'comment' ? {} : place === 'review' ? { kind: place } : { file: 'page.md', line: 1 };
      for (let n = 0; n < 1_200; n++)
        server.post(pull, { by: 'mallory', text: `${n}`, at: from + n, ...where });
      server.post(pull, { by: 'bert', text: 'Mine.', at: from + 2_000, ...where });
      for (const since of [from, from + 1_500]) {
        const all = await open(kind).listComments(found, since);
        expect(all.filter(({ author }) => author === 'bert').map(({ text }) => text)).toEqual(['Mine.']);
      }
    },
  );

  test('is told a thing once, however much was said there before and after', async () => {
    const { pull, found } = await start();
    const from = Date.now() - 3_600_000;
    const told = { text: 'Done.\n\nMessage 1 of it', signature: 'Message 1 of it', since: from };
    talk(pull, from);
    await open(kind).comment(found, below, told);
    talk(pull, Date.now());
    await open(kind).comment(found, below, told);
    expect(pull.posted.filter(({ text }) => text.includes(told.signature))).toHaveLength(1);
  });
});
