import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { exclusionSettings } from '../../shared/project/exclusion-settings.ts';
import type { ExclusionHelpReply, ExclusionPreviewReply } from '../../shared/project/project-change.ts';
import { useAction } from '../api/action.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { formatCount } from '../formats/number.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { Fields, toSetting, useSettingsForm } from './fields.tsx';
import { type SectionProps, SettingsForm } from './form.tsx';

const rows = [
  ['excludedPaths', 'excludedAddresses'],
  ['excludedHosts', 'excludedQueries'],
  ['excludedUserAgents', 'excludedCountries'],
  ['excludesPast'],
  ['excludedAsNumbers'],
  ['excludesDataCenters'],
] as const;

/** What is not counted, and the own visits. */
export function Exclusions(props: SectionProps) {
  const { project, onProject } = props;
  const { api } = useApi();
  const form = useSettingsForm(props, rows);
  const path = `/v1/admin/projects/${project.id}`;
  const help = useResource<ExclusionHelpReply>(`${path}/exclusions`, { followsChanges: true });
  const addresses = form.field('excludedAddresses');
  const [previewed, setPreviewed] = useState<ExclusionPreviewReply['rules']>();
  const preview = useAction(async () => {
    const body = Object.entries(exclusionSettings).flatMap(([rule, name]) => {
      const field = rows.flat().find((one) => one === name);
      return field ? [[rule, toSetting(field, form.field(field).value)]] : [];
    });
    const at = `/v1/analytics/${project.id}/exclusions-preview`;
    setPreviewed((await api.send<ExclusionPreviewReply>('POST', at, Object.fromEntries(body))).rules);
  });
  const leaveOut = useAction(async (network: string) => {
    const settings = { excludedAddresses: [...project.excludedAddresses, network] };
    onProject(await api.send<ProjectReply>('PATCH', path, { settings }));
    addresses.onText(joinLines([...splitLines(addresses.value), network]));
  });
  return (
    <>
      <SettingsForm id="exclusions" title={t.notCounted} lead={t.whatIsLeftOutFromNowOn} action={form}>
        <Fields rows={rows} form={form} project={project} />
        <Loaded resource={help} lines={1}>
          {({ dataCenters }) => (
            <p class="hint">
              {dataCenters ? fill(t.viewsInDataCenters, counted(dataCenters)) : t.networksNotKnown}
            </p>
          )}
        </Loaded>
        <Failure failure={preview.failure} />
        <div class="actions">
          <button type="button" disabled={preview.isBusy} onClick={() => preview.run()}>
            {t.previewExclusions}
          </button>
        </div>
        {previewed && (
          <ul class="rows" role="status">
            {previewed.map(({ rule, views, visitors }) => (
              <li key={rule}>
                {fill(views === null ? t.exclusionIsNotKnown : t.exclusionWouldLeaveOut, {
                  rule: t.fields[exclusionSettings[rule]].label,
                  views: written(views),
                  visitors: written(visitors),
                })}
              </li>
            ))}
            {previewed.length === 0 && <li class="empty">{t.noExclusionIsNew}</li>}
          </ul>
        )}
      </SettingsForm>
      <section class="card" id="own-visits" aria-labelledby="own-visits-title">
        <h2 id="own-visits-title">{t.myOwnVisits}</h2>
        <Loaded resource={help} lines={2}>
          {({ network, isExcluded }) => (
            <>
              <p>
                {mix(isExcluded ? t.yourAddressIsLeftOut : t.youComeFrom, {
                  network: <bdi class="mono">{network}</bdi>,
                })}
              </p>
              <Failure failure={leaveOut.failure} />
              <div class="actions">
                <button
                  type="button"
                  disabled={isExcluded || leaveOut.isBusy}
                  onClick={() => leaveOut.run(network)}
                >
                  {t.leaveOutThisAddress}
                </button>
              </div>
            </>
          )}
        </Loaded>
        <h3>{t.leaveOutThisBrowser}</h3>
        <p class="hint">{t.pasteThisIntoTheConsole}</p>
        <Code text={'localStorage["headcount.ignore"] = 1'} what={t.theLineThatLeavesOutThisBrowser} />
      </section>
    </>
  );
}

function written(count: ExclusionPreviewReply['rules'][number]['views']): string {
  if (count === null) return '?';
  return count.from === count.to
    ? formatCount(count.to)
    : `${formatCount(count.from)}–${formatCount(count.to)}`;
}

const counted = ({ inDataCenters, elsewhere }: NonNullable<ExclusionHelpReply['dataCenters']>) => ({
  all: formatCount(inDataCenters + elsewhere),
  inDataCenters: formatCount(inDataCenters),
  elsewhere: formatCount(elsewhere),
});
