import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { useAction } from '../api/action.ts';
import { type Resource, useApi, useResource } from '../api/resource.ts';
import { useTranscript } from '../api/transcript.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { faultOf } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatTime } from '../formats/day.ts';
import { formatDollars, formatSteps, formatTokens } from '../formats/number.ts';
import { safeLink } from '../formats/text.ts';
import { PromptField, useImages } from '../job/image-field.tsx';
import { findPrompt } from '../job/prompt.ts';
import { StartedBy } from '../job/started-by.tsx';
import { PullRequest, StatusBadge } from '../job/status.tsx';
import { Transcript } from '../job/transcript.tsx';
import { Link, useRouter } from '../router/router.tsx';
import { t as texts } from '../texts/automations.ts';
import { t } from '../texts/jobs.ts';
import { fill, mix } from '../texts/part.ts';

/** One job: its prompt, its transcript and its pull request. */
export function Job({ project, id }: { project: ProjectReply; id: string }) {
  const path = `/v2/agent/${project.id}/job/${encodeURIComponent(id)}`;
  const resource = useResource<JobReply>(path);
  const job = resource.data;
  const transcript = useTranscript(job && path, job?.status === 'active', resource.reload);
  return (
    <Page
      title={findPrompt(transcript.events, 90) ?? t.job}
      above={<Link href={`/p/${project.id}/jobs`}>{t.allJobs}</Link>}
      class="page-text page-job"
      aside={job && <Head path={path} job={job} projectId={project.id} onChange={resource.set} />}
    >
      <Loaded resource={resource} lines={8}>
        {(found) => (
          <>
            <Facts job={found} />
            <Transcript
              path={path}
              events={transcript.events}
              isActive={found.status === 'active'}
              projectId={project.id}
            />
            <Failure failure={transcript.failure} retry={transcript.retry} />
            {found.status !== 'archived' && <FollowUp path={path} job={found} onChange={resource.set} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface JobProps {
  path: string;
  job: JobReply;
  onChange: Resource<JobReply>['set'];
}

function Head({ projectId, ...props }: JobProps & { projectId: string }) {
  const [isStopping, setStopping] = useState(false);
  const [isArchiving, setArchiving] = useState(false);
  const [isReverting, setReverting] = useState(false);
  const { path, job } = props;
  return (
    <div class="page-actions">
      <StatusBadge job={job} />
      <PullRequest job={job} />
      {job.merged && job.status !== 'active' && (
        <button type="button" class="small" onClick={() => setReverting(true)}>
          {t.revert}
        </button>
      )}
      {job.status === 'active' && (
        <button type="button" class="small" onClick={() => setStopping(true)}>
          {t.stop}
        </button>
      )}
      {job.status !== 'archived' && (
        <button type="button" class="small" onClick={() => setArchiving(true)}>
          {t.archive}
        </button>
      )}
      {isReverting && <Revert path={path} projectId={projectId} onClose={() => setReverting(false)} />}
      {isStopping && <Stop {...props} onClose={() => setStopping(false)} />}
      {isArchiving && <Archive {...props} onClose={() => setArchiving(false)} />}
    </div>
  );
}

function Revert({ path, projectId, onClose }: { path: string; projectId: string; onClose: () => void }) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const revert = useAction(async () => {
    const { id } = await api.send<JobReply>('POST', `${path}/revert`);
    onClose();
    navigate(`/p/${projectId}/jobs/${id}`);
  });
  return (
    <Confirmation title={t.revertThisJob} confirmLabel={t.revert} action={revert} onClose={onClose}>
      <p>{t.anotherJobTakesBack}</p>
    </Confirmation>
  );
}

function Stop({ path, onChange, onClose }: JobProps & { onClose: () => void }) {
  const { api } = useApi();
  const stop = useAction(async () => {
    onChange(await api.send<JobReply>('POST', `${path}/stop`));
    onClose();
  });
  return (
    <Confirmation title={t.stopTheAgent} confirmLabel={t.stop} action={stop} onClose={onClose}>
      <p>{t.whatItHasNotCommitted}</p>
    </Confirmation>
  );
}

function Archive({ path, job, onChange, onClose }: JobProps & { onClose: () => void }) {
  const { api } = useApi();
  const archive = useAction(async () => {
    onChange(await api.send<JobReply>('POST', `${path}/archive`));
    onClose();
  });
  return (
    <Confirmation title={t.archiveThisJob} confirmLabel={t.archiveJob} action={archive} onClose={onClose}>
      <p>
        {job.status === 'active' && `${t.theAgentIsStopped} `}
        {t.anArchivedJobAcceptsNoMore}
      </p>
    </Confirmation>
  );
}

function Facts({
  job: { source, branch, model, noChange, usage, startedBy, reverts, createdAt, archivedAt },
}: {
  job: JobReply;
}) {
  return (
    <dl class="facts">
      <Fact name={t.repository}>
        <bdi>{source.repository}</bdi>{' '}
        {source.ref !== '' && <span class="hint">{mix(t.atRef, { ref: source.ref })}</span>}
      </Fact>
      {branch !== null && (
        <Fact name={t.branch}>
          <bdi>{branch}</bdi>
        </Fact>
      )}
      <Fact name={t.model}>
        <bdi>{model}</bdi>
      </Fact>
      {noChange !== null && (
        <Fact name={t.nothingChanged}>
          <span dir="auto">{noChange}</span>
        </Fact>
      )}
      {usage !== null && <Fact name={t.used}>{describeUsage(usage)}</Fact>}
      {startedBy !== null && (
        <Fact name={texts.started}>
          <StartedBy starter={startedBy} />
        </Fact>
      )}
      {reverts !== null && (
        <Fact name={t.takesBack}>
          <SafeLink href={reverts} />
        </Fact>
      )}
      <Fact name={t.created}>
        <time dateTime={createdAt}>{formatTime(createdAt)}</time>
      </Fact>
      {archivedAt !== null && (
        <Fact name={t.archived}>
          <time dateTime={archivedAt}>{formatTime(archivedAt)}</time>
        </Fact>
      )}
    </dl>
  );
}

function SafeLink({ href }: { href: string }) {
  const safe = safeLink(href);
  if (safe === undefined) return <bdi>{href}</bdi>;
  return (
    <a href={safe} target="_blank" rel="noreferrer">
      <bdi>{safe}</bdi>
    </a>
  );
}

function describeUsage(usage: NonNullable<JobReply['usage']>): string {
  const { steps, inputTokens, outputTokens, cachedTokens, cost } = usage;
  const cached = Math.round((100 * cachedTokens) / Math.max(1, inputTokens));
  const values = {
    steps: formatSteps(steps),
    read: formatTokens(inputTokens),
    cached: String(cached),
    written: formatTokens(outputTokens),
  };
  if (cost === null) return fill(t.usage, values);
  return fill(t.usageAndCost, { ...values, cost: formatDollars(cost) });
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function FollowUp({ path, job, onChange }: JobProps) {
  const { api } = useApi();
  const images = useImages();
  const form = useForm({ prompt: '' }, async ({ prompt }) => {
    onChange(await api.send<JobReply>('POST', `${path}/message`, { prompt, images: images.sent }));
    form.reset();
    images.clear();
  });
  return (
    <Form action={form} submitLabel={t.send} class="follow-up" isKept>
      <PromptField
        label={t.followUp}
        {...form.field('prompt')}
        rows={3}
        placeholder={t.mentionTheNewFlagToo}
        hint={job.status === 'active' ? t.theAgentReads : t.theAgentContinuesOnItsBranch}
        images={job.model.includes('/') ? images : undefined}
        imageFault={faultOf(form.failure, 'images')}
      />
    </Form>
  );
}
