import { useMemo } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { JobReply } from '../../shared/job.ts';
import { useApi } from '../api/context.ts';
import { makeIdempotencyKey } from '../api/idempotency-key.ts';
import { Form, useForm } from '../components/form.tsx';
import { useRouter } from '../router/router.tsx';
import { t } from '../texts/jobs.ts';
import { mix } from '../texts/part.ts';
import { PromptField } from './prompt-field.tsx';

export function NewJob({ project }: { project: ProjectReply }) {
  const { api } = useApi();
  const { navigate, query } = useRouter();
  // A report that found what is to be done leads here with its words.
  const form = useForm({ prompt: query.get('prompt') ?? '' }, async ({ prompt }) => {
    const headers = { 'Idempotency-Key': key };
    const job = await api.send<JobReply>('POST', `/v2/agent/${project.id}/job`, { prompt }, headers);
    navigate(`/p/${project.id}/jobs/${job.id}`);
  });
  // The same key for the same prompt, so that a repeated request creates one job.
  const key = useMemo(makeIdempotencyKey, [form.values.prompt]);
  return (
    <Form action={form} submitLabel={t.startJob} class="card">
      <PromptField
        label={t.newJob}
        {...form.field('prompt')}
        rows={4}
        placeholder={t.findThePagesThatAiClients}
        hint={<Target project={project} />}
      />
    </Form>
  );
}

/** The repository that a job works in, and who does the work. */
function Target({ project: { repository, ref, model, agentCommand } }: { project: ProjectReply }) {
  return (
    <>
      {mix(ref === '' ? t.worksIn : t.worksInFrom, {
        repository: <bdi>{repository}</bdi>,
        ref: <bdi>{ref}</bdi>,
        agent: <bdi>{agentCommand?.[0] ?? model}</bdi>,
      })}
    </>
  );
}
