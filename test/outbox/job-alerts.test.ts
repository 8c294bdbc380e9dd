import { expect, onTestFinished, test } from 'vitest';
import { AutomationWatch } from '../../server/jobs/automation/automation-watch.ts';
import { Outbox } from '../../server/outbox/outbox.ts';
import { weekdays } from '../../shared/jobs/automation.ts';
import { automationClient } from '../support/jobs/automation-run.ts';
import { createJob, finish, setSecrets, startJobRun, until } from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import { silentAt } from '../support/jobs/moments.ts';
import { startWebhookServer } from '../support/outbox/webhook-server.ts';

test('a job that finished is reported once, and again when a message had it go on', async () => {
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

test('a job that somebody stopped is not reported as finished', async () => {
  const server = await startWebhookServer();
  onTestFinished(() => server.stop());
  const { headcount, jobs, model } = await startJobRun({
    project: { name: 'Docs', webhookFormat: 'slack', alerts: ['finished_job'] },
    script: silentAt(0),
  });
  await setSecrets(headcount, { webhookUrl: server.url });
  const { id } = await createJob(jobs, 'write content/docs/install.md Run it.');
  await until(async () => model.requests.length === 1, Boolean);
  await jobs.stop(id);
  await new Outbox(headcount.context).look();
  expect(server.calls).toEqual([]);
});

test('a job that started by itself is told with the schedule that started it', async () => {
  const server = await startWebhookServer();
  onTestFinished(() => server.stop());
  const { headcount } = await startJobRun({
    project: { name: 'Docs', webhookFormat: 'slack', alerts: ['finished_job'] },
  });
  await setSecrets(headcount, { webhookUrl: server.url });
  const { add, jobs } = automationClient(headcount);
  const when = { kind: 'weekly', weekdays: [...weekdays], hour: 0 };
  const { id } = await add({ name: 'Daily look', when, prompt: 'Nothing.', enabled: true });
  // As one that was turned on the day before yesterday.
  const { context, projectId } = headcount;
  const [known] = await context.store.automations.listAutomations(projectId);
  if (!known) throw new Error('It is not there.');
  await context.store.automations.setAutomation({ ...known, onSince: Date.now() - 2 * 86_400_000 });
  await new AutomationWatch(context).look();
  const [job] = await jobs();
  expect(job?.startedBy).toEqual({ automation: id, name: 'Daily look', kind: 'schedule' });
  await finish(jobClient(headcount.url, headcount), job?.id ?? '');
  await new Outbox(context).look();
  expect(server.calls).toHaveLength(1);
  const { text } = JSON.parse(server.calls[0]?.body ?? '') as { text: string };
  expect(text).toContain('*Docs: the job of the schedule “Daily look” finished*');
  expect(text).toContain('Nothing was changed. The agent says: Nothing to do');
});
