import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventsOf, runJob, startJobRun } from '../../support/jobs/job-run.ts';
import { needSandbox } from '../../support/machine/sandbox.ts';

const hex = (text: string) => Buffer.from(text).toString('hex');

test('the key of the data folder is a secret, too', async (context) => {
  needSandbox(context);
  const run = await startJobRun({ project: { agentCommand: ['sh', '-c', 'true'] } });
  const key = (await readFile(join(run.headcount.dataDir, 'secret.key'), 'ascii')).trim();
  for (const form of [key, hex(key), Buffer.from(key, 'base64').toString('hex')]) {
    const project = run.headcount.context.registry.project(run.headcount.projectId);
    const agentCommand = ['sh', '-c', `echo ${form} > a.md; echo ${form}`];
    if (project)
      await run.headcount.context.store.setProject(project.id, { ...project.settings, agentCommand }, {});
    await run.headcount.context.registry.refresh();
    const job = await runJob(run.jobs, 'tell the key');
    const events = await eventsOf(run.jobs, job.id);
    expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'forbidden_change' } });
    expect(JSON.stringify(events)).not.toContain(form);
  }
});
