import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { makeKey } from '../../server/projects/key.ts';
import type { Lease } from '../../server/store/jobs/job.ts';
import { byLease } from '../../server/store/jobs/jobs.ts';
import { type OpenThread, openThread } from '../../server/store/sqlite/thread/open-thread.ts';
import { query } from '../support/views.ts';

let folder: string;
let writer: OpenThread<'writer'>;
let reader: OpenThread<'reader'>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-'));
  writer = await openThread('writer', join(folder, 'headcount.db'));
  reader = await openThread('reader', join(folder, 'headcount.db'));
});
afterAll(async () => {
  await reader.close();
  await writer.close();
  await rm(folder, { recursive: true, force: true });
});

/** Compiled and never run: each line below an expected error would otherwise fail `npm run typecheck`. */
function wrongCalls(): void {
  // @ts-expect-error a name that nobody has
  void writer.calls.admin.markKey([]);
  // @ts-expect-error a write, sent to the reader
  void reader.calls.analytics.markKeys([]);
  // @ts-expect-error a read, sent to the writer
  void writer.calls.analytics.readCounts(query());
  // @ts-expect-error a part that this thread does not have
  void reader.calls.counting;
  // @ts-expect-error arguments of another type
  void reader.calls.analytics.readClients(42);
  // @ts-expect-error too few arguments
  void reader.calls.analytics.readClientPaths(query());
  // @ts-expect-error too many arguments
  void writer.calls.admin.endSession('hash', 1);
  // @ts-expect-error a thread of which there is none
  void openThread('clerk', '');
  // @ts-expect-error a lease goes whole to the store, and as its key to the thread
  void writer.calls.leases.renewLease({} as Lease, 1);
  // @ts-expect-error and the other way round
  void byLease(writer.calls.leases, Date.now).renewLease({ jobId: '', number: 0, fence: 0, now: 0 }, 1);
}

describe('the threads of the SQLite store', () => {
  test('are asked with the types of what they do, and answer with promises of it', () => {
    expectTypeOf(wrongCalls).returns.toBeVoid();
    expectTypeOf(writer.calls.admin.keyUses).toEqualTypeOf<() => Promise<Record<string, string>>>();
    expectTypeOf(writer.calls.admin.changePassword).toEqualTypeOf<
      (current: string, next: string, keptSession: string) => Promise<boolean>
    >();
  });

  test('offer each operation in one place: what writes, and what is asked all the time, to the writer, and reports to the reader', () => {
    const namesOf = (calls: object) =>
      Object.entries(calls).flatMap(([part, named]) => Object.keys(named).map((name) => `${part}.${name}`));
    const [writes, reads] = [namesOf(writer.calls), namesOf(reader.calls)];
    expect(writes).toEqual(
      expect.arrayContaining([
        'admin.markKeys',
        'counting.countViews',
        'projects.readDirectory',
        'logs.openDay',
      ]),
    );
    expect(reads).toEqual(expect.arrayContaining(['analytics.readCounts', 'jobs.findJob', 'paths.list']));
    expect(writes.filter((name) => reads.includes(name))).toEqual([]);
  });

  test('do what they are asked, and fail with what failed', async () => {
    expect(await writer.calls.admin.readPassword()).toBeNull();
    await writer.calls.admin.resetPassword('p');
    expect(await writer.calls.admin.readPassword()).toBe('p');
    const { stored } = makeKey('admin', 'none', '', 0);
    await expect(writer.calls.projects.addKey(stored)).rejects.toThrow('There is no project none.');
  });

  test('serve the next store of a test run when one is closed, whatever was written meanwhile', async () => {
    const file = join(folder, 'next.db');
    const openAndWrite = async () => {
      const { calls, close } = await openThread('writer', file);
      // Nodes are notified of it.
      await calls.projects.addKey(makeKey('admin', null, '', 0).stored);
      await close();
    };
    await openAndWrite();
    const before = await threadsSoFar();
    await openAndWrite();
    // The one that counts.
    expect((await threadsSoFar()) - before).toBe(1);
  });
});

async function threadsSoFar(): Promise<number> {
  const thread = new Worker('', { eval: true });
  const { threadId } = thread;
  await once(thread, 'exit');
  return threadId;
}
