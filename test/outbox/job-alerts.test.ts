import { expect, onTestFinished, test } from 'vitest';
import { Outbox } from '../../server/outbox/outbox.ts';
import { createJob, finish, setSecrets, startJobRun } from '../support/jobs/job-run.ts';
import { startWebhookServer } from '../support/outbox/webhook-server.ts';

test('a job that finished is told once, and again when a message had it go on', async () => {
  const server = await startWebhookServer();
  onTestFinished(() => server.stop());
  const { headcount, jobs } = await startJobRun({
    project: { name: 'Docs', webhookFormat: 'slack', alerts: ['finished_job'] },
  });
  await setSecrets(headcount, { webhookUrl: server.url });
  const { id } = await createJob(jobs, 'write content/docs/install.md Run it.');
  const { prLink } = await finish(jobs, id);
  // As other nodes do, at the same time.
  await Promise.all([1, 2, 3].map(() => new Outbox(headcount.context).look()));
  await new Outbox(headcount.context).look();
  expect(server.calls).toHaveLength(1);
  const { text } = JSON.parse(server.calls[0]?.body ?? '') as { text: string };
  expect(text).toContain('*Docs: a job finished*');
  expect(text).toContain(`Pull request: ${prLink}`);
  expect(text).toContain(`/p/${headcount.projectId}/jobs/${id}`);
  await jobs.message(id, 'write content/docs/more.md More.');
  await finish(jobs, id);
  await new Outbox(headcount.context).look();
  expect(server.calls).toHaveLength(2);
});
