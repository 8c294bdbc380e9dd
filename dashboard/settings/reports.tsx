import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import type { DeliveriesReply } from '../../shared/replies/outbox.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { AreaField, ChoiceField } from '../components/field.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { joinLines, splitLines } from '../formats/lines.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const digests: Record<ProjectReply['digest'], string> = {
  never: 'Never',
  weekly: 'Every week, from Monday to Sunday',
  monthly: 'Every month',
};

const formats: Record<ProjectReply['webhookFormat'], string> = {
  standard: 'JSON, signed (Standard Webhooks)',
  slack: 'Messages for Slack',
};

const alertTexts: Record<AlertKind, string> = {
  new_client: 'An AI client comes for the first time',
  silent_client: 'An AI client has stopped coming',
  busy_client: 'An AI client reads three times as much as usual',
  spoofing: 'Three times as many hits pretend to be an AI client',
  silent_way: 'Nothing comes in any more by the script, the server or the log',
  finished_job: 'A job finished or failed',
};

/** Not those that the schema declares, which would bring its library along. */
const alertKinds = Object.keys(alertTexts) as AlertKind[];

/** Who is sent the numbers, how often, and what else they are told. */
export function Reports(props: SectionProps) {
  const { project } = props;
  const { digest, webhookFormat, mailTo } = project;
  const [alerts, setAlerts] = useState<readonly AlertKind[]>(project.alerts);
  const form = useProjectForm(
    props,
    { digest: digest as string, webhookFormat: webhookFormat as string, mailTo: joinLines(mailTo) },
    (texts) => ({ settings: { ...texts, alerts, mailTo: splitLines(texts.mailTo) } }),
  );
  return (
    <>
      <SettingsForm
        id="reports"
        title="Reports and alerts"
        action={form}
        lead="The numbers of a week or a month, and what happens meanwhile, by mail and to a webhook, once the days are sealed."
      >
        <div class="side-by-side">
          <ChoiceField label="Send the numbers" {...form.field('digest')} options={digests} />
          <ChoiceField
            label="Format of the webhook"
            {...form.field('webhookFormat')}
            options={formats}
            hint="Its address and what it is signed with are set under Secrets."
          />
        </div>
        <AreaField
          label="Send mail to"
          {...form.field('mailTo')}
          placeholder="me@example.com"
          hint="One address per line. The mail server is set in the server’s environment."
        />
        <Alerts chosen={alerts} onChosen={setAlerts} />
      </SettingsForm>
      <Deliveries project={project} />
    </>
  );
}

interface AlertsProps {
  chosen: readonly AlertKind[];
  onChosen: (chosen: readonly AlertKind[]) => void;
}

/** In the order in which they are declared, whatever was pressed first. */
function Alerts({ chosen, onChosen }: AlertsProps) {
  const toggle = (kind: AlertKind) =>
    onChosen(alertKinds.filter((one) => (one === kind) !== chosen.includes(one)));
  return (
    <fieldset>
      <legend>Tell when</legend>
      {alertKinds.map((kind) => (
        <div key={kind} class="field field-check">
          <label>
            <input type="checkbox" checked={chosen.includes(kind)} onChange={() => toggle(kind)} />
            {alertTexts[kind]}
          </label>
        </div>
      ))}
    </fieldset>
  );
}

/** What was sent lately, and what was not. */
function Deliveries({ project }: { project: ProjectReply }) {
  const { api } = useApi();
  const path = `/v1/projects/${project.id}/deliveries`;
  const resource = useResource<DeliveriesReply>(`${path}?limit=10`, { isLive: true });
  const trial = useAction(async () => {
    await api.send('POST', path);
    resource.reload();
  });
  return (
    <section class="card" id="deliveries" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Sent lately</h2>
      <Loaded resource={resource} lines={3}>
        {({ deliveries }) => (
          <ul class="rows">
            {deliveries.map((delivery) => (
              <Delivery key={delivery.id} {...delivery} />
            ))}
            {deliveries.length === 0 && <li class="empty">Nothing was sent in the last 30 days.</li>}
          </ul>
        )}
      </Loaded>
      <Failure failure={trial.failure} />
      <div class="actions">
        <button type="button" onClick={() => trial.run()} disabled={trial.isBusy}>
          Send a trial
        </button>
      </div>
    </section>
  );
}

const states = { waiting: 'Waiting', sent: 'Sent', failed: 'Not sent' };

function Delivery({
  title,
  receiver,
  state,
  trouble,
  createdAt,
  dueAt,
}: DeliveriesReply['deliveries'][number]) {
  return (
    <li class="rows-tall">
      <div class="rows-main">
        <span class="strong">
          <bdi>{title}</bdi>
        </span>
        <p class="hint">
          {states[state]} to <bdi>{receiver ?? 'the webhook'}</bdi>, written{' '}
          <time dateTime={createdAt}>{formatTime(createdAt)}</time>.
          {trouble !== null && (
            <>
              {' '}
              <bdi>{trouble}</bdi>
              {dueAt !== null && ` It is tried again after ${formatTime(dueAt)}.`}
            </>
          )}
        </p>
      </div>
    </li>
  );
}
