import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { DeliveriesReply } from '../../shared/outbox.ts';
import type { SavedViewsReply } from '../../shared/reports/saved-views.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { Fields, SetField, useSettingsForm } from './fields.tsx';
import { type SectionProps, SettingsForm } from './form.tsx';
import { SecretFields, secretsFor } from './secrets.tsx';

const rows = [['digest', 'webhookFormat'], ['mailTo'], ['alerts']] as const;
const all = [...rows, ['digestViews']] as const;
const webhookSecrets = ['webhookUrl', 'webhookSecret'] as const;

/** Who is sent the numbers, how often, and what else they receive. */
export function Reports(props: SectionProps) {
  const secrets = secretsFor(props.project, webhookSecrets);
  const form = useSettingsForm(props, all, secrets);
  const saved = useResource<SavedViewsReply>(`/v1/analytics/${props.project.id}/saved-views`);
  return (
    <>
      <SettingsForm id="reports" title={t.reportsAndAlerts} action={form} lead={t.theNumbersOfAWeekOrAMonth}>
        <Fields rows={rows} form={form} project={props.project} />
        <Loaded resource={saved} lines={1}>
          {({ views }) =>
            views.length > 0 && (
              <SetField
                {...form.field('digestViews')}
                label={t.fields.digestViews.label}
                names={Object.fromEntries(views.map(({ id, name }) => [id, name]))}
              />
            )
          }
        </Loaded>
        <SecretFields names={secrets} form={form} {...props} />
      </SettingsForm>
      <Deliveries project={props.project} />
    </>
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
