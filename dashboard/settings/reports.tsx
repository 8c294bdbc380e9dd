import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { AlertKind } from '../../shared/project/outbox-settings.ts';
import type { DeliveriesReply } from '../../shared/replies/outbox.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { AreaField, ChoiceField } from '../components/form/field.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { joinLines, splitLines } from '../formats/lines.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

/** Not those that the schema declares, which would bring its library along. */
const alertKinds = () => Object.keys(t.alertTexts) as AlertKind[];

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
      <SettingsForm id="reports" title={t.reportsAndAlerts} action={form} lead={t.theNumbersOfAWeekOrAMonth}>
        <div class="side-by-side">
          <ChoiceField label={t.sendTheNumbers} {...form.field('digest')} options={t.digests} />
          <ChoiceField
            label={t.formatOfTheWebhook}
            {...form.field('webhookFormat')}
            options={t.webhookFormats}
            hint={t.itsAddressAndWhatItIsSigned}
          />
        </div>
        <AreaField
          label={t.sendMailTo}
          {...form.field('mailTo')}
          placeholder="me@example.com"
          hint={t.oneAddressPerLineTheMail}
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
    onChosen(alertKinds().filter((one) => (one === kind) !== chosen.includes(one)));
  return (
    <fieldset>
      <legend>{t.tellWhen}</legend>
      {alertKinds().map((kind) => (
        <div key={kind} class="field field-check">
          <label>
            <input type="checkbox" checked={chosen.includes(kind)} onChange={() => toggle(kind)} />
            {t.alertTexts[kind]}
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
      <h2 id="deliveries-title">{t.sentLately}</h2>
      <Loaded resource={resource} lines={3}>
        {({ deliveries }) => (
          <ul class="rows">
            {deliveries.map((delivery) => (
              <Delivery key={delivery.id} {...delivery} />
            ))}
            {deliveries.length === 0 && <li class="empty">{t.nothingWasSentInTheLast30}</li>}
          </ul>
        )}
      </Loaded>
      <Failure failure={trial.failure} />
      <div class="actions">
        <button type="button" onClick={() => trial.run()} disabled={trial.isBusy}>
          {t.sendATrial}
        </button>
      </div>
    </section>
  );
}

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
          {mix(t.toReceiver[state], {
            receiver: <bdi>{receiver ?? t.theWebhook}</bdi>,
            moment: <time dateTime={createdAt}>{formatTime(createdAt)}</time>,
          })}
          {trouble !== null && (
            <>
              {' '}
              <bdi>{trouble}</bdi>
              {dueAt !== null && ` ${fill(t.itIsTriedAgainAfter, { moment: formatTime(dueAt) })}`}
            </>
          )}
        </p>
      </div>
    </li>
  );
}
