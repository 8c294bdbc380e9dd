import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { intern } from '../../server/counting/names/interned.ts';
import { what } from '../../server/counting/what.ts';
import type { AuditEntry } from '../../server/store/admin/audit.ts';
import type { LoggedView } from '../../server/store/counts/view-batch.ts';
import { type LoginAttempts, nodes } from '../../server/store/nodes.ts';
import type { KeyedBatch } from '../../server/store/receipts.ts';
import { sqlParts } from '../../server/store/sql-parts.ts';
import { sqliteEngine } from '../../server/store/sqlite/counts/engine.ts';
import { noSql } from '../../server/store/sqlite/sql.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { newSavedView } from '../../shared/reports/saved-views.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { hasPostgres } from '../support/store/shared-postgres.ts';
import { Ended, openPostgres, openSqlite, type Stoppable } from '../support/store/stopping.ts';
import { gptBot, view } from '../support/views.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const settings = projectSettings.parse({ name: 'Docs' });
const key = (id: string, by: string | null = null) => ({
  ...{ id, hash: `hash of ${id}`, name: id, scope: 'admin' as const, projectId: null, createdAt: '2026' },
  ...{ expiresAt: null, networks: [] },
  maker: by === null ? null : { kind: 'key' as const, id: by, name: by },
});
const session = (hash: string) => ({ hash, createdAt: now, usedAt: now });
const link = { hash: 'link', expiresAt: now + 1 };
const job = (id: string) => ({
  ...{ id, projectId: 'docs', repository: 'https://example.com/a/b', ref: '', model: 'openai/x' },
  ...{ prompt: 'Mend it.', startedBy: { automation: 'a', name: 'Weekly', kind: 'schedule' as const } },
});
const lease = { jobId: 'job_1', number: 0, fence: 1, now };
const origin = {
  ...{
    number: 1,
    key: 'c1',
    author: 'ann',
    url: 'https://example.com/c/1',
    thread: null,
    file: null,
    line: null,
  },
  material: [],
};
const annotation = (id: string) => ({
  ...{
    projectId: 'docs',
    id,
    day: 20_000,
    kind: 'note' as const,
    text: 'A note',
    affected: ['/a'],
    url: null,
  },
  createdAt: now,
});
const savedView = { ...newSavedView.parse({ name: 'Docs' }), id: 'v1', createdAt: now };
const automation = (id: string) => ({
  ...{ projectId: 'docs', id, createdAt: now, onSince: now },
  settings: { name: 'Weekly', prompt: 'Look.', when: { kind: 'schedule' } } as never,
});
const signOn = { issuer: 'https://id.example', subject: 'ann' };
const factor = { secret: new Uint8Array([1, 2]), lastStep: 0, recoveryCodes: ['r1', 'r2'] };
const period = { tool: 'google', kind: 'site', from: 20_000, to: 20_000 } as const;
const searchRow = { name: '', clicks: 1, impressions: 2, positions: 3, citations: 0, pages: null };
const announcement = {
  ...{ projectId: 'docs', key: 'digest', kind: 'digest', title: 'Numbers', letter: '{}', at: now },
  deliveries: [{ id: 'd1', channel: 'mail' as const, receiver: 'ann@example.com' }],
};
const fault = { id: 'fault_1', kind: 'not_found', path: '/gone', evidence: 'Gone.' };
const site = { projectId: 'docs', host: 'docs.example.com', now, dueAt: now + 1 };

type Parts = ReturnType<typeof sqlParts>;
type Call = [part: keyof Parts | 'counting' | 'nodes', name: string, ...args: unknown[]];

const counted = { projectId: 'counted', day: 20_000 };
const views = [
  view(counted),
  view({ ...counted, path: '/a', visitor: 2n, source: 'other.example' }),
  view({ ...counted, path: '/b', visitor: 3n, ...gptBot }),
];
const batch: Omit<KeyedBatch, 'views'> = {
  projectId: 'counted',
  idempotency: { key: 'one', requestHash: 'request' },
  places: [0, 1, 2],
  dropped: [],
  droppedCounters: [{ ...counted, reason: 'bot', family: 'search', hits: 1 }],
  reservations: [],
  at: now,
};
const logged = (path: string, visitor: bigint): LoggedView => ({
  ...{ day: 0, visitor, network: 1, kind: 'human', moment: 0, client: null, hour: null },
  ...{ region: null, city: null, utmCampaign: null, utmSource: null, utmMedium: null, ref: null },
  ...{ country: null, language: null, device: null, browser: null, system: null },
  ...{ path: intern(path), source: intern('(direct)') },
});
/** The first that there is, whose number depends on what was stopped. */
const firstLog = Symbol('the first log');
const history = {
  tool: 'Plausible',
  site: { visitors: 2, views: 3 },
  sums: [{ what: what.path, text: '/old', visitors: 1, views: 2 }],
};
const given = { salt: new Uint8Array(45), forgetAt: now + 1 };
const later = [view({ ...counted, day: 20_001 })];
const repair = {
  ...{ projectId: 'counted', lastDay: 20_000, sealedThrough: 19_979, moveTo: 20_000, forgetBy: now * 2 },
  reopened: [{ day: 19_980, salt: given.salt }],
};
const by = { actor: { kind: 'command', id: null, name: null }, at: now } as const;

function guessAndSignIn({ failures, known }: LoginAttempts): void {
  failures.set('192.0.2.0', { count: 1, lastAt: now });
  known.add('192.0.2.0');
}

/** All that is written, in an order in which each call finds what the ones before made. */
const writes: Call[] = [
  ['projects', 'addFirstProject', { id: 'docs', settings, createdAt: '2026' }, [key('k1')]],
  ['projects', 'addProject', { id: 'other', settings, createdAt: '2026' }, [key('k2')]],
  [
    'projects',
    'setProject',
    'docs',
    { ...settings, name: 'Manual' },
    { repositoryToken: new Uint8Array([1]) },
  ],
  ['projects', 'noteHost', 'docs', 'docs.example.com'],
  ['projects', 'addKey', key('k3', 'k1')],
  ['projects', 'addLink', { id: 'l1', projectId: 'docs', kind: 'page', token: 't', createdAt: '2026' }],
  ['projects', 'removeLink', 'docs', 'l1'],
  ['admin', 'offerSetup', 'setup', now + 1],
  ['admin', 'redeemSetup', 'setup', 'first', session('s1')],
  ['admin', 'startSession', session('s2'), 'first'],
  ['admin', 'changePassword', 'first', 'second', 's1'],
  ['admin', 'touchSession', 's1', now + 1],
  ['admin', 'markKeys', [{ keyId: 'k1', day: '2026-11-28' }]],
  ['factors', 'addFactor', null, factor, 's1'],
  ['factors', 'spendProof', null, { step: 1 }],
  ['factors', 'replaceRecoveryCodes', null, ['r3'], { step: 2 }],
  ['factors', 'removeFactor', null, { step: 3 }],
  [
    'users',
    'addUser',
    { id: 'u1', name: 'ann', createdAt: '2026', roles: [{ projectId: 'docs', role: 'editor' }] },
    link,
  ],
  ['users', 'redeemLink', 'link', 'hers', session('s3')],
  ['users', 'startSession', 'u1', session('s4'), 'hers'],
  ['users', 'changePassword', 'u1', 'hers', 'new', 's4'],
  ['users', 'setRoles', 'u1', [{ projectId: null, role: 'owner' }]],
  ['users', 'endSessions', 'u1'],
  ['users', 'offerLink', 'u1', link],
  ['signOns', 'redeemLinkBySignOn', 'link', signOn, session('s5')],
  ['signOns', 'startSessionBySignOn', signOn, session('s6')],
  ['signOns', 'disconnectSignOn', 'u1', signOn.issuer],
  ['signOns', 'connectSignOn', 'u1', signOn],
  ['admin', 'endSession', 's6'],
  ['admin', 'resetPassword', 'third'],
  ['admin', 'startSession', session('s7'), 'third'],
  ['admin', 'forgetSessions', now],
  ['admin', 'endSessions'],
  ['catalogue', 'keepCatalogue', { version: 1, signed: 'x' }],
  ['annotations', 'addAnnotation', annotation('m1')],
  ['annotations', 'noteRules', 'docs', { day: 20_000, version: 2 }],
  ['annotations', 'removeAnnotation', 'docs', 'm1'],
  ['savedViews', 'setSavedView', 'docs', savedView, true],
  ['savedViews', 'setSavedView', 'docs', { ...savedView, name: 'Guides' }, false],
  ['savedViews', 'removeSavedView', 'docs', 'v1'],
  ['searches', 'setPeriod', 'docs', period, [searchRow]],
  ['searches', 'removeTool', 'docs', 'google'],
  ['sites', 'claimSite', site],
  ['sites', 'settleSite', { ...site, trouble: '' }],
  ['sites', 'keepRobots', { projectId: 'docs', host: site.host, knownAt: now, status: 'missing', text: '' }],
  ['sites', 'keepSitemap', { projectId: 'docs', host: site.host, fetchedAt: now, pages: '[]' }],
  ['outbox', 'announce', announcement],
  ['outbox', 'claimAnnouncement', { projectId: 'docs', key: 'said', now, leaseMs: 1 }],
  ['outbox', 'claimDelivery', { now, until: now + 1, latest: now + 2 }],
  ['outbox', 'settleDelivery', 'd1', 1, { sentAt: now, dueAt: null, trouble: null }],
  ['outbox', 'deleteAnnounced', { deliveries: now + 1, keys: now + 1 }],
  ['automations', 'addAutomation', automation('a')],
  ['automations', 'setAutomation', { ...automation('a'), onSince: now + 1 }],
  ['automations', 'noteRun', 'docs', 'a', { key: 'day 1', at: now, reason: 'It was off.' }],
  ['jobs', 'createJob', now, job('job_1'), { key: 'again', requestHash: 'h' }],
  ['jobs', 'noteBaseBranch', now, 'docs', 'job_1', 'main'],
  ['turns', 'claimTurn', now, { total: 2, perProject: 2, leaseMs: 1000 }],
  ['leases', 'renewLease', lease, 2000],
  [
    'leases',
    'recordPhase',
    lease,
    'pinned',
    { branch: 'b', baseBranch: 'main' },
    { type: 'phase', data: {} },
  ],
  [
    'leases',
    'appendEvents',
    lease,
    [
      { type: 'text', data: { text: 'x' } },
      { type: 'text', data: { text: 'y' } },
    ],
  ],
  [
    'leases',
    'appendMessages',
    lease,
    [{ role: 'user' }],
    { steps: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, cost: 5 },
  ],
  ['leases', 'resetMessages', lease],
  ['leases', 'releaseTurn', lease, 0, true, { type: 'retry', data: {} }],
  ['turns', 'claimTurn', now, { total: 2, perProject: 2, leaseMs: 1000 }],
  [
    ...(['leases', 'settleTurn', { ...lease, fence: 2 }] as const),
    {
      status: 'failed',
      prLink: null,
      failure: { code: 'x', message: 'y' },
      resumes: true,
      messages: [{ role: 'assistant' }],
    },
    { type: 'failed', data: {} },
  ],
  [
    'jobs',
    'addMessage',
    now,
    'docs',
    'job_1',
    'Again.',
    null,
    false,
    [{ name: 'a.png', type: 'image/png', content: new Uint8Array([1]) }],
  ],
  ['jobs', 'hearComment', now, 'docs', 'job_1', { prompt: 'Do.', origin }, false],
  ['jobs', 'noteComment', now, 'docs', 'job_1', 'c2', 'ignored'],
  [
    'jobs',
    'moveJobs',
    now,
    'docs',
    'https://example.com/a/b',
    'https://example.com/a/c',
    { from: 'a/b', to: 'a/c' },
  ],
  ['jobs', 'startJob', now, job('job_2'), { automation: 'a', keys: ['day 2'], perWeek: 5 }],
  ['jobs', 'revertMerge', now, { ...job('job_3'), reverts: 'https://example.com/pull/1', record: {} }, null],
  ['jobs', 'fixFault', now, job('job_4'), fault, false],
  ['jobs', 'assignFault', now, 'docs', fault, 'Ann'],
  ['jobs', 'dismissFault', now, 'docs', fault, 'Ann'],
  ['jobs', 'stopJob', now, 'docs', 'job_1', [{ number: 0, asked: 'asked', note: 'note' }]],
  ['jobs', 'archiveJob', now, 'docs', 'job_1'],
  ['turns', 'claimTurn', now, { total: 2, perProject: 2, leaseMs: 1000 }],
  [
    ...(['leases', 'settleTurn', { ...lease, jobId: 'job_2' }] as const),
    { status: 'failed', prLink: null, failure: { code: 'x', message: 'y' } },
    { type: 'failed', data: {} },
  ],
  ['jobs', 'archiveIdleJobs', now + 2, 1, by.actor],
  ['automations', 'removeAutomation', 'docs', 'a'],
  ['projects', 'addProject', { id: 'counted', settings, createdAt: '2026' }, [key('k4')]],
  ['counting', 'openDays', [{ ...counted, salt: new Uint8Array(45), rules: 2 }]],
  ['counting', 'countBatches', [{ ...batch, views }]],
  ['counting', 'replaceSalts', [{ ...counted, salt: given.salt, by: new Uint8Array(45).fill(1) }]],
  ['counting', 'forgetReceipts', now * 2],
  ['counting', 'seal', 'counted', 19_990],
  ['counting', 'openDay', 'counted', 19_980, given],
  ['counting', 'countLogs', 'counted', 19_980, [logged('/a', 4n), logged('/c', 5n)]],
  ['counting', 'countLogs', 'counted', 20_000, [logged('/a', 2n), logged('/d', 6n)]],
  ['imports', 'undoNextDay', 'counted', firstLog, by],
  ['imports', 'undoNextDay', 'counted', firstLog, by],
  ['history', 'addDay', 'counted', { day: 19_900, ...history }],
  ['history', 'removeDay', 'counted', 19_900, 'Plausible'],
  ['history', 'addDay', 'counted', { day: 19_901, ...history }],
  ['counting', 'openDay', 'counted', 19_981, given],
  ['counting', 'countLogs', 'counted', 19_981, [logged('/a', 4n), logged('/old', 5n)]],
  [
    'paths',
    'move',
    'counted',
    [
      { from: '/a', to: '/b' },
      { from: '/c', to: null },
    ],
  ],
  ['counting', 'sealImported', 'counted', now, []],
  ['counting', 'openDays', [{ projectId: 'counted', day: 20_001, salt: given.salt, rules: 2 }]],
  [
    'counting',
    'countBatches',
    [{ ...batch, idempotency: { key: 'two', requestHash: 'request' }, views: later }],
  ],
  ['calendars', 'repairCalendar', repair],
  ['retention', 'forgetSome', 'counted', { details: 19_950, counts: null }, true],
  ['retention', 'finish', 'counted', { details: 19_950, counts: 19_950 }],
  ['nodes', 'recent.noteRecent', [{ projectId: 'counted', visitor: 1n, kind: 'human', agoMs: 0 }]],
  ['nodes', 'ranges.keepCopy', { feed: 'crawlers', asOf: now, text: '{}' }],
  ['nodes', 'ranges.claimRefresh', 'node_1'],
  ['nodes', 'ranges.endRefresh', 'node_1'],
  ['nodes', 'loginAttempts.changeAttempts', ['192.0.2.0'], guessAndSignIn],
  ['projects', 'removeProject', 'counted'],
  ['projects', 'revokeKey', 'k1'],
  ['users', 'removeUser', 'u1'],
  ['projects', 'removeProject', 'docs'],
];

/** What only reads, and what does nothing to a single row here. */
const others = [
  ...['projects.readDirectory', 'projects.directoryVersion', 'projects.readSecrets'],
  ...['admin.readPassword', 'admin.isSetupOpen', 'admin.readSignedIn', 'admin.keyUses', 'factors.findFactor'],
  ...['users.listUsers', 'users.findLink', 'users.findPassword', 'signOns.hasSignOn', 'audit.listEntries'],
  ...[
    'catalogue.readCatalogue',
    'savedViews.listSavedViews',
    'imports.listImports',
    'annotations.listAnnotations',
    'annotations.listRules',
    'turns.msUntilDue',
  ],
  ...[
    'searches.listPeriods',
    'searches.listDays',
    'searches.listNames',
    'sites.listRobots',
    'sites.readSite',
  ],
  ...['sites.sitemapTime', 'outbox.sealedThrough', 'outbox.listFinishedJobs', 'outbox.findAnnounced'],
  ...[
    'outbox.listDeliveries',
    'automations.listAutomations',
    'automations.listEnabled',
    'automations.findRuns',
  ],
  ...[
    'automations.listRuns',
    'nodes.recent.countRecent',
    'nodes.recent.forgetRecent',
    'nodes.ranges.readCopies',
  ],
];

function entry(action: AuditEntry['action']): AuditEntry {
  return {
    at: now,
    actor: { kind: 'command', id: null, name: null },
    action,
    projectId: null,
    subject: 'x',
    changes: [],
  };
}

test('all that writes is among what is stopped', () => {
  const methods = Object.entries(sqlParts(noSql, sqliteEngine({} as never))).flatMap(([part, calls]) =>
    Object.keys(calls).map((name) => `${part}.${name}`),
  );
  const ofNodes = Object.entries(nodes(noSql, () => null)).flatMap(([part, calls]) =>
    Object.keys(calls).map((name) => `nodes.${part}.${name}`),
  );
  const written = writes.filter(([part]) => part !== 'counting').map(([part, name]) => `${part}.${name}`);
  expect([...new Set(written), ...others].sort()).toEqual([...methods, ...ofNodes].sort());
});

/** What the server does by itself, what people do to come in, what makes its own entries, and what ends what is noted. */
const notNoted = [
  ...['projects.noteHost', 'annotations.noteRules'],
  ...['admin.offerSetup', 'admin.startSession', 'admin.touchSession', 'admin.markKeys', 'admin.endSession'],
  ...['admin.endSessions', 'admin.forgetSessions', 'users.startSession', 'users.endSessions'],
  ...['signOns.startSessionBySignOn', 'factors.spendProof'],
  ...['jobs.noteBaseBranch', 'jobs.noteComment', 'jobs.moveJobs', 'automations.noteRun'],
  ...['jobs.revertMerge', 'jobs.archiveIdleJobs', 'imports.undoNextDay', 'retention.finish'],
];

test('whatever else somebody changes is called with its entry in the audit list', () => {
  const sources = globSync('server/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const noted = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/callAudited\(\s*'(\w+)',\s*'(\w+)'/g)].map(([, part, name]) => `${part}.${name}`),
    ),
  );
  const byItself = ['counting', 'nodes', 'turns', 'leases', 'sites', 'outbox'];
  const others = writes
    .filter(([part, name]) => !byItself.includes(part) && !noted.has(`${part}.${name}`))
    .map(([part, name]) => `${part}.${name}`);
  expect([...new Set(others)].sort()).toEqual(notNoted.toSorted());
  const isAlone = (call: string) => {
    const [part = '', name = ''] = call.split('.');
    const direct = new RegExp(`\\b${part === 'projects' ? 'store' : part}\\.${name}\\(`);
    return sources.some((source) => direct.test(source));
  };
  // The first of its steps has the entry of all.
  expect([...noted].filter(isAlone)).toEqual(['retention.forgetSome']);
});

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
])('a process on %s that ends at any statement', (engine, open) => {
  let opened: Stoppable | undefined;
  beforeAll(async () => {
    if (engine === 'SQLite' || (await hasPostgres())) opened = await open();
  });
  afterAll(() => opened?.close());

  const all = writes.filter(([part]) => part !== 'nodes' || engine === 'PostgreSQL');
  test.for(all.map((call, i) => [`${call[0]}.${call[1]} (${i + 1})`, call] as const))(
    'leaves nothing of %s, or all, and with it what the audit list says of it',
    async ([, [part, name, ...given]], context) => {
      if (!opened) leaveOut(context, 'PostgreSQL is not installed');
      const { stopAfter, read, firstLogId } = opened;
      const args = await Promise.all(given.map((arg) => (arg === firstLog ? firstLogId() : arg)));
      // Up to which day it is closed is noted with the project, which counting may be ahead with.
      const isInSteps = name === 'seal' || name === 'sealImported';
      const readAll = () => read(isInSteps ? undefined : part);
      const before = await readAll();
      for (let last = 0; ; last++) {
        const { audited, counting, nodes, statements } = stopAfter(last);
        const [of = '', method = ''] = name.split('.');
        const call =
          part === 'counting'
            ? Reflect.get(counting, name)(...args)
            : part === 'nodes'
              ? Reflect.get(Reflect.get(nodes as object, of), method)(...args)
              : audited.callAudited(part, name, args, [entry('job.started')]);
        if (!(await hasEnded(call))) {
          // What was found before counting once need not be found again.
          if (part !== 'counting') expect(statements()).toBe(last);
          break;
        }
        // Closing takes several transactions.
        if (!isInSteps) expect(await readAll()).toEqual(before);
      }
      expect(await readAll()).not.toEqual(before);
    },
  );

  test('goes on with closing a day where it was, to the same counts', async (context) => {
    if (!opened) leaveOut(context, 'PostgreSQL is not installed');
    const { stopAfter, readCounts, readVisitors } = opened;
    const { audited, counting } = stopAfter(Number.MAX_SAFE_INTEGER);
    for (const id of ['stopped', 'whole']) {
      await audited.callAudited(
        'projects',
        'addProject',
        [{ id, settings, createdAt: '2026' }, [key(id)]],
        [],
      );
      await counting.openDays([{ projectId: id, day: 20_000, salt: given.salt, rules: 2 }]);
      await counting.countBatches([
        {
          ...batch,
          projectId: id,
          droppedCounters: [],
          views: views.map((one) => ({ ...one, projectId: id })),
        },
      ]);
    }
    expect(await readVisitors()).toBeGreaterThan(0);
    await counting.seal('whole', 20_000);
    for (let last = 0; await hasEnded(stopAfter(last).counting.seal('stopped', 20_000)); last++);
    expect(await readCounts('stopped')).toEqual(await readCounts('whole'));
    expect((await readCounts('stopped')).length).toBeGreaterThan(0);
    expect(await readVisitors()).toBe(0);
  });
});

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
])('the list of all projects with their figures on %s', (engine, open) => {
  test('takes as many statements for fifty projects as for one', async (context) => {
    if (engine === 'PostgreSQL' && !(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
    const opened = await open();
    const { audited, counting } = opened.stopAfter(Number.MAX_SAFE_INTEGER);
    const ids = Array.from({ length: 50 }, (_, i) => `p${i}`);
    for (const id of ids) {
      const made = [{ id, settings, createdAt: '2026' }, [key(id)]];
      await audited.callAudited('projects', 'addProject', made, []);
    }
    await counting.openDays(ids.map((projectId) => ({ projectId, day: 20_000, salt: given.salt, rules: 2 })));
    const views = ids.map((projectId, i) => view({ projectId, visitor: BigInt(i) }));
    await counting.countBatches([{ ...batch, projectId: 'p0', droppedCounters: [], views }]);
    const read = async (projectIds: string[]) => {
      const { series, statements } = opened.stopAfter(Number.MAX_SAFE_INTEGER);
      const glances = await series.readGlances(
        projectIds.map((projectId) => ({ projectId, from: 19_900, to: 20_001 })),
      );
      return { seen: glances.map(({ days }) => days.map(({ views }) => views.human)), asked: statements() };
    };
    const one = await read(['p7']);
    expect(one.seen).toEqual([[1]]);
    expect(await read(ids)).toEqual({ seen: ids.map(() => [1]), asked: one.asked });
    await opened.close();
  });
});

function hasEnded(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Ended) return true;
      throw error;
    },
  );
}
