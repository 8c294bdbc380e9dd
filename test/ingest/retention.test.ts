import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealDueDays } from '../../server/ingest/sealing/sealer.ts';
import { forgetCommand } from '../../server/operations/project-paths.ts';
import type { AuditReply } from '../../shared/accounts/audit.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { terminalOf } from '../support/commands/terminal.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

const bot = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)';
const clock = createClock('2026-05-10T12:00:00Z');
let headcount: Headcount;

beforeEach(async () => {
  clock.set('2026-05-10T12:00:00Z');
  headcount = await startHeadcount({ now: clock.now, project: { name: 'Docs', keepCountsMonths: 1 } });
});
afterEach(() => headcount.stop());

/** A closed day on which hits came and none was counted. */
async function visitOfBot(): Promise<void> {
  await headcount.hit({ u: 'https://example.com/' }, { 'user-agent': bot });
  await expect.poll(read).toMatchObject([{ dropped: [{ reason: 'bot' }] }, {}]);
  clock.advance(3 * dayMs);
  await sealDueDays(headcount.context);
}

async function read() {
  const { projectId, get } = headcount;
  const report = (name: string) => get<object>(`/v1/analytics/${projectId}/${name}?dateFrom=2026-05-01`);
  return [await report('dropped'), await report('data-sources')];
}

const noted = async () =>
  (await headcount.get<AuditReply>(`/v1/projects/${headcount.projectId}/audit`)).entries
    .filter(({ action }) => action === 'days.forgotten')
    .map(({ actor, subject, changes }) => [actor.kind, subject, ...changes]);

const nothing = [{ dropped: [] }, { dataSources: [] }];

test('a day without a view is forgotten by the command', async () => {
  await visitOfBot();
  expect(await read()).toMatchObject([{ dropped: [{ reason: 'bot' }] }, {}]);
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const terminal = terminalOf(headcount, { now: clock.now, print });
  await forgetCommand.run(['--project', headcount.projectId, '--before', '2026-05-11', '--yes'], terminal);
  expect(printed).toBe('All counts of 1 day (2026-05-10) were deleted.\n');
  expect(await read()).toMatchObject(nothing);
  expect(await noted()).toEqual([['command', 'Docs', 'all before 2026-05-11']]);
});

test('days that a project does not keep are forgotten by the server, with an entry in the audit log', async () => {
  await visitOfBot();
  expect(await noted()).toEqual([]);
  clock.set('2026-06-10T12:00:00Z');
  await sealDueDays(headcount.context);
  expect(await read()).toMatchObject([{ dropped: [{ reason: 'bot' }] }, {}]);
  clock.set('2026-06-11T12:00:00Z');
  for (let minute = 0; minute < 2; minute++) await sealDueDays(headcount.context);
  expect(await read()).toMatchObject(nothing);
  expect(await noted()).toEqual([['server', 'Docs', 'all before 2026-05-11']]);
});
