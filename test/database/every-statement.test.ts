import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../server/database/sql.ts';
import { tables } from '../../server/database/tables/tables.ts';
import type { AuditEntry } from '../../server/store/admin/audit.ts';
import { removeCounts as removePostgresCounts } from '../../server/store/postgres/counts/counts.ts';
import { postgresSql } from '../../server/store/postgres/sql.ts';
import { openDatabase } from '../../server/store/postgres/store.ts';
import type { ForgetProject } from '../../server/store/projects.ts';
import { audited, sqlParts } from '../../server/store/sql-parts.ts';
import { removeCounts } from '../../server/store/sqlite/counts/removal.ts';
import { migrate } from '../../server/store/sqlite/schema.ts';
import { sqliteSql } from '../../server/store/sqlite/sql.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeDatabase } from '../support/store/shared-postgres.ts';

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
const mark = (id: string) => ({
  ...{
    projectId: 'docs',
    id,
    day: 20_000,
    kind: 'note' as const,
    text: 'A note',
    touched: ['/a'],
    url: null,
  },
  createdAt: now,
});
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
const site = { projectId: 'docs', host: 'docs.example.com', now, dueAt: now + 1 };

type Parts = ReturnType<typeof sqlParts>;
type Call = [part: keyof Parts, name: string, ...args: unknown[]];

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
  ['audit', 'note', entry('user.added')],
  ['catalogue', 'keepCatalogue', { version: 1, signed: 'x' }],
  ['marks', 'addMark', mark('m1')],
  ['marks', 'noteRules', 'docs', { day: 20_000, version: 2 }],
  ['marks', 'removeMark', 'docs', 'm1'],
  ['searches', 'setPeriod', 'docs', period, [searchRow]],
  ['searches', 'removeTool', 'docs', 'google'],
  ['sites', 'claimSite', site],
  ['sites', 'settleSite', { ...site, trouble: '' }],
  ['sites', 'keepRobots', { projectId: 'docs', host: site.host, knownAt: now, status: 'missing', text: '' }],
  ['sites', 'keepSitemap', { projectId: 'docs', host: site.host, fetchedAt: now, pages: '[]' }],
  ['outbox', 'tell', announcement],
  ['outbox', 'claimAnnouncement', { projectId: 'docs', key: 'said', now, leaseMs: 1 }],
  ['outbox', 'claimDelivery', { now, until: now + 1, latest: now + 2 }],
  ['outbox', 'settleDelivery', 'd1', 1, { sentAt: now, dueAt: null, trouble: null }],
  ['outbox', 'forgetTold', { deliveries: now + 1, keys: now + 1 }],
  ['automations', 'addAutomation', automation('a')],
  ['automations', 'setAutomation', { ...automation('a'), onSince: now + 1 }],
  ['automations', 'noteRun', 'docs', 'a', { key: 'day 1', at: now, reason: 'It was off.' }],
  ['jobs', 'createJob', now, job('job_1'), { key: 'again', requestHash: 'h' }],
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
  ['jobs', 'archiveJob', now, 'docs', 'job_1'],
  ['automations', 'removeAutomation', 'docs', 'a'],
  ['projects', 'revokeKey', 'k1'],
  ['users', 'removeUser', 'u1'],
  ['projects', 'removeProject', 'docs'],
];

/** What only reads, and what does nothing to a single row here. */
const others = [
  ...['projects.readDirectory', 'projects.directoryVersion', 'projects.readSecrets'],
  ...['admin.readPassword', 'admin.isSetupOpen', 'admin.readSignedIn', 'admin.keyUses', 'factors.findFactor'],
  ...['users.listUsers', 'users.findLink', 'users.findPassword', 'signOns.hasSignOn', 'audit.listEntries'],
  ...['catalogue.readCatalogue', 'marks.listMarks', 'marks.listRules', 'turns.msUntilDue'],
  ...[
    'searches.listPeriods',
    'searches.listDays',
    'searches.listNames',
    'sites.listRobots',
    'sites.readSite',
  ],
  ...['sites.sitemapTime', 'outbox.sealedThrough', 'outbox.listFinishedJobs', 'outbox.findTold'],
  ...[
    'outbox.listDeliveries',
    'automations.listAutomations',
    'automations.listEnabled',
    'automations.findRuns',
  ],
  ...['automations.listRuns', 'jobs.archiveIdleJobs'],
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

/** A process that ends before a statement: its transaction is never committed. */
class Ended extends Error {}

interface Stopping {
  sql: Sql;
  statements(): number;
}

/** @param last it ends before the one after this */
function stopping(sql: Sql, last: number): Stopping {
  let statements = 0;
  const wrap = (inner: Sql): Sql => ({
    ...inner,
    query: (text, values) => {
      if (++statements > last) throw new Ended();
      return inner.query(text, values);
    },
    transaction: (work) => inner.transaction((transaction) => work(wrap(transaction))),
    snapshot: (work) => inner.snapshot((snapshot) => work(wrap(snapshot))),
  });
  return { sql: wrap(sql), statements: () => statements };
}

interface Opened {
  sql: Sql;
  /** All rows of all tables, in some form. */
  read(): Promise<unknown>;
  close(): Promise<void>;
}

async function openSqlite(): Promise<Opened> {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  migrate(db);
  const names = tables.filter(({ engine }) => engine !== 'postgres').map(({ name }) => name);
  return {
    sql: sqliteSql(db),
    read: async () => names.map((name) => db.prepare(`select * from ${name}`).raw().all()),
    close: async () => void db.close(),
  };
}

async function openPostgres(): Promise<Opened> {
  const url = await makeDatabase();
  const database = openDatabase(url);
  const names = tables.filter(({ engine }) => engine !== 'sqlite').map(({ name }) => name);
  const all = names.map(
    (name) =>
      `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) as rows from ${name} t`,
  );
  return {
    sql: postgresSql(database),
    read: () => database.query(`${all.join(' union all ')} order by name`),
    close: async () => {
      await database.close();
      await dropDatabase(url);
    },
  };
}

test('all that writes is among what is stopped', () => {
  const methods = Object.entries(sqlParts(sqliteSql(new Database(':memory:')), [])).flatMap(([part, calls]) =>
    Object.keys(calls).map((name) => `${part}.${name}`),
  );
  expect([...new Set(writes.map(([part, name]) => `${part}.${name}`)), ...others].sort()).toEqual(
    methods.sort(),
  );
});

describe.each<[string, () => Promise<Opened>, readonly ForgetProject[]]>([
  ['SQLite', openSqlite, [removeCounts]],
  ['PostgreSQL', openPostgres, [removePostgresCounts]],
])('a process on %s that ends at any statement', (engine, open, forget) => {
  let opened: Opened | undefined;
  beforeAll(async () => {
    if (engine === 'SQLite' || (await hasPostgres())) opened = await open();
  });
  afterAll(() => opened?.close());

  test.for(writes.map((call, i) => [`${call[0]}.${call[1]} (${i + 1})`, call] as const))(
    'leaves nothing of %s, or all, and with it what the audit list says of it',
    async ([, [part, name, ...args]], context) => {
      if (!opened) leaveOut(context, 'PostgreSQL is not installed');
      const { sql, read } = opened;
      const before = await read();
      const call = (on: Sql) => audited(on, forget).callAudited(part, name, args, [entry('job.started')]);
      for (let last = 0; ; last++) {
        const { sql: stopped, statements } = stopping(sql, last);
        const ended = await call(stopped).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Ended) return true;
            throw error;
          },
        );
        if (!ended) {
          expect(statements()).toBe(last);
          break;
        }
        expect(await read()).toEqual(before);
      }
      expect(await read()).not.toEqual(before);
    },
  );
});
