import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { JobReply } from '../../shared/job.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { useTranscript } from '../api/transcript.ts';
import { Dialog } from '../components/dialog.tsx';
import { AreaField, faultOf, submit } from '../components/field.tsx';
import { PullRequest, StatusBadge } from '../components/job-status.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Transcript } from '../components/transcript.tsx';
import { formatTime } from '../formats/day.ts';
import { readable, shorten } from '../formats/text.ts';
import { Link } from '../router/router.tsx';

/** One job: what was asked, what happens, what came of it. */
export function Job({ project, id }: { project: ProjectReply; id: string }) {
  const path = `/v2/agent/${project.id}/job/${encodeURIComponent(id)}`;
  const resource = useResource<JobReply>(path);
  const job = resource.data;
  const transcript = useTranscript(job && path, job?.status === 'active', resource.reload);
  const [first] = transcript.events;
  const prompt = typeof first?.data.text === 'string' ? shorten(readable(first.data.text), 90) : 'Job';
  return (
    <Page
      title={prompt}
      above={<Link href={`/p/${project.id}/jobs`}>All jobs</Link>}
      class="page-text page-job"
      aside={job && <Head path={path} resource={resource} job={job} />}
    >
      <Loaded resource={resource} lines={8}>
        {(found) => (
          <>
            <Facts job={found} />
            <Transcript
              events={transcript.events}
              isActive={found.status === 'active'}
              projectId={project.id}
            />
            <Failure failure={transcript.failure} retry={transcript.retry} />
            {found.status !== 'archived' && <FollowUp path={path} onSent={resource.set} job={found} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Head({ path, resource, job }: { path: string; resource: Resource<JobReply>; job: JobReply }) {
  const [isArchiving, setArchiving] = useState(false);
  return (
    <div class="page-actions">
      <StatusBadge status={job.status} />
      <PullRequest job={job} />
      {job.status !== 'archived' && (
        <button type="button" class="small" onClick={() => setArchiving(true)}>
          Archive
        </button>
      )}
      {isArchiving && (
        <Archive
          path={path}
          isActive={job.status === 'active'}
          onClose={(archived) => {
            setArchiving(false);
            if (archived) resource.set(archived);
          }}
        />
      )}
    </div>
  );
}

interface ArchiveProps {
  path: string;
  isActive: boolean;
  onClose: (archived?: JobReply) => void;
}

function Archive({ path, isActive, onClose }: ArchiveProps) {
  const { api } = useApi();
  const archive = useAction(async () => {
    onClose(await api.send<JobReply>('POST', `${path}/archive`));
  });
  return (
    <Dialog title="Archive this job?" onClose={() => onClose()}>
      <p>
        {isActive && 'What it is doing now is stopped. '}An archived job takes no more messages; its
        transcript and its pull request stay.
      </p>
      <Failure failure={archive.failure} />
      <div class="actions">
        <button type="button" onClick={() => onClose()}>
          Leave it
        </button>
        <button type="button" class="danger" onClick={() => archive.run()} disabled={archive.isBusy}>
          Archive it
        </button>
      </div>
    </Dialog>
  );
}

function Facts({ job: { source, model, createdAt, archivedAt } }: { job: JobReply }) {
  return (
    <dl class="facts">
      <div>
        <dt>Repository</dt>
        <dd>
          <bdi>{source.repository}</bdi> <span class="hint">at {source.ref}</span>
        </dd>
      </div>
      <div>
        <dt>Model</dt>
        <dd>
          <bdi>{model}</bdi>
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <time dateTime={createdAt}>{formatTime(createdAt)}</time>
        </dd>
      </div>
      {archivedAt !== null && (
        <div>
          <dt>Archived</dt>
          <dd>
            <time dateTime={archivedAt}>{formatTime(archivedAt)}</time>
          </dd>
        </div>
      )}
    </dl>
  );
}

interface FollowUpProps {
  path: string;
  job: JobReply;
  onSent: (job: JobReply) => void;
}

function FollowUp({ path, job, onSent }: FollowUpProps) {
  const { api } = useApi();
  const [prompt, setPrompt] = useState('');
  const send = useAction(async () => {
    onSent(await api.send<JobReply>('POST', `${path}/message`, { prompt }));
    setPrompt('');
  });
  return (
    <form class="form follow-up" onSubmit={submit(() => send.run())}>
      <AreaField
        label="Follow-up"
        name="prompt"
        value={prompt}
        onText={setPrompt}
        rows={3}
        maxLength={32_000}
        required
        placeholder="Mention the new flag, too."
        hint={
          job.status === 'active'
            ? 'It is worked off after what is being done now.'
            : 'The agent goes on from the tip of the branch, with what people pushed there.'
        }
        fault={faultOf(send.failure, 'prompt')}
      />
      <Failure failure={send.failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={send.isBusy}>
          Send
        </button>
      </div>
    </form>
  );
}
