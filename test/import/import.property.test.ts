import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Count } from '../../shared/reports/analytics.ts';
import type { GivenQuery } from '../support/client.ts';
import type { ProjectClient } from '../support/headcount.ts';
import {
  aiClient,
  bot,
  combined,
  type ImportRun,
  otherPerson,
  person,
  startImport,
} from '../support/import/import-run.ts';
import { addUpSums, readSums } from '../support/recount/sum-rows.ts';

const userAgents = { human: [person, otherPerson], ai: [aiClient], bot: [bot] };
type Kind = keyof typeof userAgents;

interface Line {
  text: string;
  day: string;
  who: string;
  path: string;
  /** Null: not to be counted. */
  kind: 'human' | 'ai' | null;
  sender: Kind;
  of: 'page' | 'failure' | 'asset';
}

const start = Date.parse('2026-02-20T00:00:00Z');
const maxMinutes = 9 * 24 * 60;
const dayName = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' });

const line = fc
  .record({
    minute: fc.integer({ min: 0, max: maxMinutes }),
    ip: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'),
    path: fc.constantFrom('/', '/a', '/a/', '/%61', '/b?x=1', '/style.css'),
    status: fc.constantFrom(200, 200, 200, 304, 404),
    kind: fc.constantFrom<Kind>('human', 'human', 'ai', 'bot'),
    variant: fc.nat({ max: 1 }),
  })
  .map(({ minute, ip, path, status, kind, variant }): Line => {
    const at = start + minute * 60_000;
    const userAgent = userAgents[kind][variant % userAgents[kind].length] as string;
    const of = path === '/style.css' ? 'asset' : status === 404 ? 'failure' : 'page';
    return {
      text: combined({ at: new Date(at).toISOString(), ip, path, status, userAgent }),
      day: dayName.format(at),
      who: `${ip.startsWith('2001:db8::') ? '2001:db8::/64' : ip} ${userAgent}`,
      path: path.startsWith('/b') ? '/b' : path === '/' ? '/' : '/a',
      kind: of === 'page' && kind !== 'bot' ? kind : null,
      sender: kind,
      of,
    };
  });

const pack = { plain: Buffer.from, gzip: gzipSync, zstd: zstdCompressSync };

/** A log cut into pieces, how each is packed, and in how many commands which of them are given, some of them again. */
const given = fc.record({
  lines: fc.uniqueArray(line, { minLength: 1, maxLength: 60, selector: ({ text }) => text }),
  isShuffled: fc.boolean(),
  cuts: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
  packing: fc.array(fc.constantFrom<keyof typeof pack>('plain', 'gzip', 'zstd'), {
    minLength: 5,
    maxLength: 5,
  }),
  /** By piece: in which command it comes. */
  command: fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 }),
  again: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
  endsInBreak: fc.boolean(),
});

function recount(lines: readonly Line[]) {
  const counted = lines.filter(({ kind }) => kind !== null);
  const visitors = (of: readonly Line[]): Count => {
    const who = (list: readonly Line[]) => new Set(list.map((one) => one.day + one.who)).size;
    return {
      human: who(of.filter(({ kind }) => kind === 'human')),
      ai: who(of.filter(({ kind }) => kind === 'ai')),
      total: who(of),
    };
  };
  const byPath = [...new Set(counted.map(({ path }) => path))].map((path) => {
    const of = counted.filter((one) => one.path === path);
    const human = of.filter(({ kind }) => kind === 'human').length;
    return [
      path,
      { visitors: visitors(of), views: { human, ai: of.length - human, total: of.length } },
    ] as const;
  });
  return { totals: visitors(counted), paths: Object.fromEntries(byPath) };
}

const sumReports = ['data-sources', 'dropped', 'ai-formats', 'ai-failures', 'ai-bytes'] as const;
const lineBytes = 512;

/** What a line adds to besides: the report, what its row is of, and bytes. Of other files a log tells nothing. */
function toldBy({ sender, of, path }: Line): [(typeof sumReports)[number], row: string, bytes?: number][] {
  if (sender === 'ai' && of === 'failure') {
    return [
      ['data-sources', 'log dropped'],
      ['ai-failures', `PerplexityBot 404 ${path}`],
      ['ai-bytes', 'PerplexityBot', lineBytes],
    ];
  }
  if (of !== 'page') return [];
  if (sender === 'human') return [['data-sources', 'log people']];
  if (sender === 'bot') {
    return [
      ['data-sources', 'log dropped'],
      ['dropped', 'bot search engine'],
    ];
  }
  return [
    ['data-sources', 'log ai'],
    ['ai-formats', 'PerplexityBot html'],
    ['ai-bytes', 'PerplexityBot', lineBytes],
  ];
}

async function countedOf(project: ProjectClient, query: GivenQuery) {
  const path = { projectId: project.projectId };
  const { totals } = await project.ask('GET /v1/analytics/{projectId}/visitors', { path, query });
  const [visitors, views] = [await project.visitors(query), await project.views(query)];
  const paths = Object.keys(views).map((path) => [path, { visitors: visitors[path], views: views[path] }]);
  return { totals, paths: Object.fromEntries(paths) };
}

test('a log that is shuffled, cut, packed and given again counts as a recount of its lines does', async () => {
  const run: ImportRun = await startImport();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(given, async ({ lines, isShuffled, cuts, packing, command, again, endsInBreak }) => {
      const project = await run.addProject({ timeZone: 'Europe/Berlin' });
      const ordered = isShuffled
        ? lines
        : lines.toSorted((a, b) => (a.text.slice(30) < b.text.slice(30) ? -1 : 1));
      const ends = [...new Set([...cuts.filter((cut) => cut < lines.length), lines.length])].sort(
        (a, b) => a - b,
      );
      const pieces = ends
        .map((end, i) => ordered.slice(i === 0 ? 0 : ends[i - 1], end))
        .filter(({ length }) => length > 0);
      const names = await Promise.all(
        pieces.map((piece, i) => {
          const text = piece.map(({ text }) => text).join('');
          const whole = endsInBreak ? text : text.trimEnd();
          return run.write(`piece-${++files}`, pack[packing[i] ?? 'plain'](whole));
        }),
      );
      for (const number of [0, 1, 2]) {
        const chosen = names.filter((_, i) => (command[i] ?? 0) === number);
        const repeated = again.flatMap((i) => ((command[i] ?? 0) <= number ? (names[i] ?? []) : []));
        if (chosen.length > 0) await run.import([...chosen, ...repeated, '--merge'], { project });
      }
      // Days in the middle of a command are forgotten at its end: what comes later cannot be matched with them.
      const isOneCommand = new Set(pieces.map((_, i) => command[i] ?? 0)).size === 1;
      if (isOneCommand) expect(await countedOf(project, {})).toEqual(recount(lines));
      else {
        const views = Object.fromEntries(
          Object.entries(recount(lines).paths).map(([path, count]) => [
            path,
            (count as { views: Count }).views,
          ]),
        );
        expect(await project.views()).toEqual(views);
      }
      expect(await readSums(project, sumReports)).toEqual(addUpSums(sumReports, lines.flatMap(toldBy)));
      const [from, to] = ['2026-02-22', '2026-02-26'];
      const inside = lines.filter(({ day }) => day >= from && day < to);
      if (isOneCommand) {
        expect(await countedOf(project, { dateFrom: from, dateTo: to })).toEqual(recount(inside));
      }
    }),
    { numRuns: 60 },
  );
  await run.stop();
});
