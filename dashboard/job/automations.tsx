import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { AutomationReply, AutomationsReply } from '../../shared/jobs/automation.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { readable } from '../formats/text.ts';
import { Link } from '../router/router.tsx';
import { t } from '../texts/automations.ts';
import { fill, mix } from '../texts/part.ts';
import { AutomationForm } from './automation-form.tsx';
import { describeOccasion } from './occasion.ts';

/** What is open above the list. */
type Opened =
  | { kind: 'form'; automation?: AutomationReply }
  | { kind: 'removal'; automation: AutomationReply };

/** What starts jobs by itself, and what came of it. */
export function Automations({ project }: { project: ProjectReply }) {
  const path = `/v2/agent/${project.id}/automations`;
  const resource = useResource<AutomationsReply>(path, { isLive: true });
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const done = () => {
    resource.reload();
    close();
  };
  return (
    <section class="card" id="automations" aria-labelledby="automations-title">
      <header class="panel-head">
        <h2 id="automations-title">{t.jobsThatStartByThemselves}</h2>
        <span class="stretch" />
        <button type="button" class="small" onClick={() => setOpened({ kind: 'form' })}>
          {t.add}
        </button>
      </header>
      <Loaded resource={resource} lines={2}>
        {({ automations }) => (
          <ul class="rows">
            {automations.map((automation) => (
              <AutomationRow
                key={automation.id}
                path={path}
                project={project}
                automation={automation}
                onOpen={setOpened}
                onChange={resource.reload}
              />
            ))}
            {automations.length === 0 && <li class="empty">{t.none}</li>}
          </ul>
        )}
      </Loaded>
      {opened?.kind === 'form' && (
        <Dialog title={opened.automation ? t.changeOne : t.addOne} onClose={close}>
          <AutomationForm path={path} project={project} automation={opened.automation} onDone={done} />
        </Dialog>
      )}
      {opened?.kind === 'removal' && (
        <Removal path={path} automation={opened.automation} onDone={done} onClose={close} />
      )}
    </section>
  );
}

interface RowProps {
  path: string;
  project: ProjectReply;
  automation: AutomationReply;
  onOpen: (opened: Opened) => void;
  onChange: () => void;
}

function AutomationRow({ path, project, automation, onOpen, onChange }: RowProps) {
  const { api } = useApi();
  const { id, name, when, enabled, nextAt } = automation;
  const turn = useAction(async () => {
    await api.send('PATCH', `${path}/${id}`, { enabled: !enabled });
    onChange();
  });
  const label = readable(name);
  return (
    <li class="rows-tall">
      <div class="rows-main">
        <bdi class="strong name">{label}</bdi>
        <p class="hint">
          {describeOccasion(when)}
          {nextAt !== null && (
            <>
              {' · '}
              {mix(t.next, { time: <time dateTime={nextAt}>{formatTime(nextAt)}</time> })}
            </>
          )}
        </p>
        <LastRun automation={automation} projectId={project.id} />
        <Failure failure={turn.failure} />
      </div>
      <span class={`status status-${enabled ? 'completed' : 'archived'}`}>{enabled ? t.on : t.off}</span>
      <button
        type="button"
        class="small"
        aria-label={fill(enabled ? t.turnOffNamed : t.turnOnNamed, { name: label })}
        disabled={turn.isBusy}
        onClick={() => turn.run()}
      >
        {enabled ? t.turnOff : t.turnOn}
      </button>
      <button
        type="button"
        class="small"
        aria-label={fill(t.changeNamed, { name: label })}
        onClick={() => onOpen({ kind: 'form', automation })}
      >
        {t.change}
      </button>
      <button
        type="button"
        class="small"
        aria-label={fill(t.removeNamed, { name: label })}
        onClick={() => onOpen({ kind: 'removal', automation })}
      >
        {t.remove}
      </button>
    </li>
  );
}

function LastRun({ automation: { lastRun }, projectId }: { automation: AutomationReply; projectId: string }) {
  if (lastRun === null) return <p class="hint">{t.noJobYet}</p>;
  const { at, jobId, reason } = lastRun;
  const time = <time dateTime={at}>{formatTime(at)}</time>;
  const job =
    jobId === null ? (
      <bdi>{readable(reason ?? '')}</bdi>
    ) : (
      <Link href={`/p/${projectId}/jobs/${jobId}`}>{t.theJob}</Link>
    );
  return <p class="hint">{mix(t.lastJob, { time, job })}</p>;
}

interface RemovalProps {
  path: string;
  automation: AutomationReply;
  onDone: () => void;
  onClose: () => void;
}

function Removal({ path, automation: { id, name }, onDone, onClose }: RemovalProps) {
  const { api } = useApi();
  const remove = useAction(async () => {
    await api.send('DELETE', `${path}/${id}`);
    onDone();
  });
  return (
    <Confirmation title={t.removeThis} confirmLabel={t.remove} action={remove} onClose={onClose}>
      <p>{mix(t.removal, { name: <bdi class="strong">{readable(name)}</bdi> })}</p>
    </Confirmation>
  );
}
