import { useMemo } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { JobReply } from '../../shared/job.ts';
import { useApi } from '../api/context.ts';
import { makeIdempotencyKey } from '../api/idempotency-key.ts';
import { Form, useForm } from '../components/form.tsx';
import { useRouter } from '../router/router.tsx';
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
    <Form action={form} submitLabel="Start job" class="card">
      <PromptField
        label="New job"
        {...form.field('prompt')}
        rows={4}
        placeholder="Find the pages that AI clients read most, and add an example to each."
        hint={<Target project={project} />}
      />
    </Form>
  );
}

/** The repository that a job works in, and who does the work. */
function Target({ project: { repository, ref, model, agentCommand } }: { project: ProjectReply }) {
  return (
    <>
      Works in <bdi>{repository}</bdi>
      {ref !== '' && (
        <>
          , starting from <bdi>{ref}</bdi>
        </>
      )}
      , with <bdi>{agentCommand?.[0] ?? model}</bdi>.
    </>
  );
}
