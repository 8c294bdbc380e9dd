import { expect, test } from 'vitest';
import { MergeWatch } from '../../../server/jobs/turn/publishing/merge-watch.ts';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import { createJob, finish, type JobRun, slug, startJobRun } from '../../support/jobs/job-run.ts';

interface Change {
  date: string;
  kind: string;
  text: string;
  url: string | null;
}

const read = <T>({ headcount }: JobRun, path: string) =>
  headcount.get<T>(`/v1/analytics/${headcount.projectId}/${path}`);
const changesOf = async (run: JobRun) =>
  (await read<{ changes: Change[] }>(run, 'changes?dateFrom=2026-11-01')).changes;

async function open(run: JobRun): Promise<string> {
  const { id } = await createJob(run.jobs, 'write content/docs/install.md Run it.');
  const { prLink } = await finish(run.jobs, id);
  return String(prLink);
}

test.each(forgeKinds)(
  'a pull request that was merged at %s is marked once, with the files that it changed',
  async (kind) => {
    const run = await startJobRun({ kind });
    const { forge, headcount } = run;
    const url = await open(run);
    const watch = new MergeWatch(headcount.context);
    await watch.look();
    expect(await changesOf(run)).toEqual([]);
    await forge.merge(slug, 1, { deleteBranch: true });
    // What was asked a moment ago is not asked again; another node asks by itself.
    const asked = forge.git.requests.length;
    await watch.look();
    expect(forge.git.requests).toHaveLength(asked);
    expect(await changesOf(run)).toEqual([]);
    for (const other of [new MergeWatch(headcount.context), new MergeWatch(headcount.context)])
      await other.look();
    expect(await changesOf(run)).toMatchObject([
      { date: '2026-11-20', kind: 'merge', text: 'Write the page', url },
    ]);
    const { marks } = await read<{ marks: object[] }>(run, 'marks');
    expect(marks).toMatchObject([{ kind: 'merge', touched: ['content/docs/install.md'], url }]);
  },
);

test('one that was closed, or that the code host does not tell of, is no change', async () => {
  const run = await startJobRun();
  const { forge, headcount } = run;
  await open(run);
  await forge.decline(slug, 1);
  await new MergeWatch(headcount.context).look();
  forge.git.faults.push({ on: /\/pulls\//, status: 500 }, { on: /\/pulls\//, status: 500 });
  await new MergeWatch(headcount.context).look();
  expect(await changesOf(run)).toEqual([]);
  expect(headcount.log.filter((line) => line.includes('merged'))).toEqual([]);
});
