import { describe, expect, test } from 'vitest';
import type { Lease } from '../../../server/store/jobs/job.ts';
import type { NewEvent } from '../../../server/store/jobs/transcript.ts';
import type { Engine } from '../../support/store/engines.ts';
import { nameOf, useJobs, wide } from './fixture.ts';

const done: NewEvent = { type: 'completed', data: {} };

/** What the holder of a lease writes. */
export function testTurns(engine: Engine): void {
  describe(`turns at work in the ${engine.name} store`, () => {
    const fixture = useJobs(engine);
    const { create, message, claim, mustClaim, settle, eventsOf } = fixture;

    const writes: [string, (lease: Lease) => Promise<boolean>][] = [
      ['renewLease', (lease) => fixture.jobs.renewLease(lease, 1000)],
      ['recordPhase', (lease) => fixture.jobs.recordPhase(lease, 'opened', { summary: 'late' }, done)],
      ['appendEvents', (lease) => fixture.jobs.appendEvents(lease, [done])],
      ['appendMessages', (lease) => fixture.jobs.appendMessages(lease, ['late'])],
      ['resetMessages', (lease) => fixture.jobs.resetMessages(lease)],
      ['settleTurn', (lease) => fixture.jobs.settleTurn(lease, { status: 'failed', prLink: 'x' }, done)],
      ['releaseTurn', (lease) => fixture.jobs.releaseTurn(lease, 0, true, done)],
    ];
    const losses: [string, string[], (lease: Lease) => Promise<unknown>][] = [
      [
        'somebody else has claimed the turn',
        ['kept'],
        () => {
          fixture.now += wide.leaseMs;
          return mustClaim();
        },
      ],
      ['the turn has ended', ['kept'], (lease) => settle(lease)],
      ['the turn was given back', ['kept'], (lease) => fixture.jobs.releaseTurn(lease, 0, true, null)],
      [
        'the job is stopped',
        ['kept', 'note'],
        () => fixture.jobs.stopJob('p1', 'job_1', [{ number: 0, asked: 'asked', note: 'note' }]),
      ],
      ['the job is archived', ['kept'], () => fixture.jobs.archiveJob('p1', 'job_1')],
      ['the project is removed', [], () => fixture.store.removeProject('p1')],
    ];
    test.each(losses)(
      'when %s, nothing that the old holder does has an effect',
      async (_loss, kept, lose) => {
        await create('job_1');
        const lease = await mustClaim();
        await fixture.jobs.appendMessages(lease, ['kept']);
        await lose(lease);
        const state = async () => [
          await fixture.jobs.findJob('p1', 'job_1'),
          await fixture.jobs.readEvents('p1', 'job_1', 0, 100),
          await fixture.jobs.msUntilDue(),
        ];
        const before = await state();
        for (const [name, write] of writes) {
          expect([name, await write(lease)]).toEqual([name, false]);
          expect([name, await state()]).toEqual([name, before]);
        }
        fixture.now += wide.leaseMs;
        const next = await claim();
        expect(next?.turn.record ?? {}).toEqual({});
        if (next) await settle(next);
        expect(await fixture.jobs.readMessages('job_1')).toEqual(kept);
      },
    );

    test('what phases found out adds up', async () => {
      await create('job_1');
      const lease = await mustClaim();
      await fixture.jobs.recordPhase(lease, 'pinned', { base: 'b0', branch: 'x', expectedTip: null }, null);
      await fixture.jobs.recordPhase(lease, 'committed', { commit: 'c0', patch: 'cGF0Y2g=' }, null);
      await fixture.jobs.recordPhase(lease, 'pushed', { expectedTip: 'c0' }, null);
      await fixture.jobs.releaseTurn(lease, 0, false, null);
      expect((await mustClaim()).turn).toMatchObject({
        phase: 'pushed',
        record: { base: 'b0', branch: 'x', expectedTip: 'c0', commit: 'c0', patch: 'cGF0Y2g=' },
      });
    });

    test('events are numbered from 1 without gaps within a job, whoever writes them', async () => {
      const other = await fixture.open();
      await create('job_1');
      await create('job_2');
      const [first, second] = [await mustClaim(), await mustClaim()];
      const event = (text: string): NewEvent => ({ type: 'text', data: { text } });
      await Promise.all([
        fixture.jobs.appendEvents(first, [event('a'), event('b')]),
        other.jobs.appendEvents(second, [event('c')]),
        other.jobs.appendEvents(first, [event('d')]),
        message('job_1'),
      ]);
      await settle(first);
      const numbers = (await eventsOf('job_1')).map(({ number }) => number);
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
      expect((await eventsOf('job_2')).map(({ number }) => number)).toEqual([1, 2]);
      const page = (await fixture.jobs.readEvents('p1', 'job_1', 2, 3)) ?? [];
      expect(page.map(({ number }) => number)).toEqual([3, 4, 5]);
      expect(await fixture.jobs.readEvents('p1', 'job_1', 6, 3)).toEqual([]);
      await other.close();
    });

    test('the conversation is that of turns that ended, without what broke off', async () => {
      await create('job_1');
      await message('job_1');
      const first = await mustClaim();
      await fixture.jobs.appendMessages(first, [{ role: 'user' }, { role: 'assistant', text: 'broken off' }]);
      expect(await fixture.jobs.readMessages('job_1')).toEqual([]);
      fixture.now += wide.leaseMs;
      const again = await mustClaim();
      expect(await fixture.jobs.resetMessages(again)).toBe(true);
      await fixture.jobs.appendMessages(again, [{ role: 'user' }]);
      await fixture.jobs.appendMessages(again, [{ role: 'assistant', text: 'whole' }]);
      await settle(again);
      const second = await mustClaim();
      await fixture.jobs.appendMessages(second, [{ role: 'user', text: 'second' }]);
      const whole = [{ role: 'user' }, { role: 'assistant', text: 'whole' }];
      expect(await fixture.jobs.readMessages('job_1')).toEqual(whole);
      await settle(second, 'failed');
      expect(await fixture.jobs.readMessages('job_1')).toEqual([...whole, { role: 'user', text: 'second' }]);
    });

    test('an attempt goes on from the messages of the one before, and what both used adds up', async () => {
      const usage = { steps: 1, inputTokens: 100, outputTokens: 10, cachedTokens: 50, cost: 7 };
      await create('job_1');
      const first = await mustClaim();
      await fixture.jobs.appendMessages(first, ['asked', 'answered'], usage);
      fixture.now += wide.leaseMs;
      const again = await mustClaim();
      expect(again.turn.usage).toEqual(usage);
      expect(await fixture.jobs.readTurnMessages('job_1', 0)).toEqual(['asked', 'answered']);
      await fixture.jobs.appendMessages(again, ['more'], usage);
      expect(await fixture.jobs.readTurnMessages('job_1', 0)).toEqual(['asked', 'answered', 'more']);
      await settle(again);
      await message('job_1');
      await fixture.jobs.appendMessages(await mustClaim(), [], usage);
      expect((await fixture.jobs.findJob('p1', 'job_1'))?.usage).toEqual({
        steps: 3,
        inputTokens: 300,
        outputTokens: 30,
        cachedTokens: 150,
        cost: 21,
      });
    });

    test('a project tells what its turns cost that it was asked for since a moment', async () => {
      const usage = { steps: 1, inputTokens: 100, outputTokens: 10, cachedTokens: 50, cost: 7 };
      await create('job_1');
      await fixture.jobs.appendMessages(await mustClaim(), [], usage);
      fixture.now += 1_000;
      await create('job_2');
      const second = await mustClaim();
      await fixture.jobs.appendMessages(second, [], usage);
      await fixture.jobs.appendMessages(second, [], { ...usage, cost: null });
      expect(await fixture.jobs.readCost('p1', fixture.now - 1_000)).toBe(14);
      expect(await fixture.jobs.readCost('p1', fixture.now)).toBe(7);
      expect(await fixture.jobs.readCost('p2', 0)).toBe(0);
    });

    test('a turn that could not deliver what it committed goes on from there before the next message', async () => {
      const failure = { code: 'auth', message: 'The token was refused.' };
      await create('job_1');
      const first = await mustClaim();
      const found = { branch: 'x', baseBranch: 'main', commit: 'c0', failures: 2 };
      await fixture.jobs.recordPhase(first, 'committed', found, null);
      const outcome = { status: 'failed', prLink: undefined, failure, resumes: true } as const;
      await fixture.jobs.settleTurn(first, outcome, done);
      expect(await claim()).toBeNull();
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({ status: 'failed', failure });

      const asked = await message('job_1', 'next');
      expect(asked).toMatchObject({ job: { status: 'active', failure: null, branch: null } });
      const again = await mustClaim();
      expect(again.turn).toMatchObject({ number: 0, phase: 'committed', attempt: 1 });
      expect(again.turn.record).toEqual({ branch: 'x', baseBranch: 'main', commit: 'c0' });
      await fixture.jobs.recordPhase(again, 'pushed', { tip: 'c0' }, null);
      await settle(again);
      expect(await fixture.jobs.findJob('p1', 'job_1')).toMatchObject({ status: 'active', branch: 'x' });
      expect(await mustClaim()).toMatchObject({ turn: { number: 1, prompt: 'next' }, unpublished: null });
    });

    test('a turn is told that what an earlier one committed still waits to be delivered', async () => {
      const failure = { code: 'auth', message: 'The token was refused.' };
      await create('job_1');
      await message('job_1');
      const outcome = { status: 'failed', prLink: undefined, failure, resumes: true } as const;
      await fixture.jobs.settleTurn(await mustClaim(), outcome, done);
      expect(await mustClaim()).toMatchObject({ turn: { number: 1 }, unpublished: failure });
    });

    test('what ends the conversation of a turn is stored with its end', async () => {
      await create('job_1');
      const lease = await mustClaim();
      await fixture.jobs.appendMessages(lease, ['asked']);
      const outcome = { status: 'failed', prLink: undefined, messages: ['it ended'] } as const;
      await fixture.jobs.settleTurn(lease, outcome, done);
      expect(await fixture.jobs.readMessages('job_1')).toEqual(['asked', 'it ended']);
    });

    test('keeps whatever characters people, models and programs write', async () => {
      const text = 'a\u0000b "\\u0000" {1,"2",NULL} \u{1f642}\r\n';
      const failure = { code: 'model', message: text };
      await create('job_1', { prompt: text });
      const lease = await mustClaim();
      expect(lease.turn.prompt).toBe(text);
      await fixture.jobs.recordPhase(lease, 'committed', { summary: text }, { type: 'text', data: { text } });
      await fixture.jobs.appendMessages(lease, [{ text }, text]);
      const outcome = { status: 'failed', prLink: undefined, failure, resumes: true } as const;
      await fixture.jobs.settleTurn(lease, outcome, done);
      expect((await fixture.jobs.findJob('p1', 'job_1'))?.failure?.message).toBe(text);
      expect((await eventsOf('job_1'))[1]?.data).toEqual({ text });
      expect(await fixture.jobs.readMessages('job_1')).toEqual([{ text }, text]);
      await message('job_1');
      expect((await mustClaim()).turn.record).toEqual({ summary: text });
    });

    test('removing a project removes its jobs, and those of others stay', async () => {
      await create('job_1', { key: 'k' });
      await create('job_2', { projectId: 'p2' });
      await fixture.store.removeProject('p1');
      expect(await fixture.jobs.findJob('p1', 'job_1')).toBeNull();
      expect(nameOf(await mustClaim())).toBe('job_2/0');
      expect(await claim()).toBeNull();
    });
  });
}
