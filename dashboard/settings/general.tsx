import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { useApi } from '../api/context.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { AreaField, ChoiceField, TextField } from '../components/form/field.tsx';
import { type FormState, useForm } from '../components/form/form.tsx';
import { TimeZoneField } from '../components/form/time-zone-field.tsx';
import { joinLines, splitLines, splitWholeLines } from '../formats/lines.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const lists = ['hosts', 'excludedPaths', 'excludedAddresses', 'keptParameters'] as const;
type ListName = (typeof lists)[number];

/** Turns each list of the settings into something else, such as its text. */
const mapLists = <T,>(convert: (name: ListName) => T) =>
  Object.fromEntries(lists.map((name) => [name, convert(name)])) as Record<ListName, T>;

/** Asks for the names of the hosts once some were seen. */
function hostsHint({ hosts, seenHosts }: ProjectReply): string {
  if (hosts.length > 0) return t.leaveItEmptyToCountAllHosts;
  if (seenHosts.length === 0) return t.ifItIsEmptyAllHosts;
  return fill(t.nameTheHostsOfYourSitePages, { hosts: seenHosts.join(', ') });
}

type Form = Pick<FormState<ListName>, 'field'>;

/** Which pages are of the site, and what of their addresses counts. */
function Pages({ form, project }: { form: Form; project: ProjectReply }) {
  return (
    <div class="side-by-side">
      <AreaField
        label={t.hostNames}
        {...form.field('hosts')}
        placeholder="www.example.com"
        hint={fill(t.onePerLineViewsOnOtherHosts, { hint: hostsHint(project) })}
      />
      <AreaField
        label={t.queryParametersToKeep}
        {...form.field('keptParameters')}
        placeholder="page"
        hint={t.onePerLineTheyStayPart}
      />
    </div>
  );
}

function Exclusions({ form }: { form: Form }) {
  return (
    <div class="side-by-side">
      <AreaField
        label={t.excludedPaths}
        {...form.field('excludedPaths')}
        placeholder="/admin/**"
        hint={t.onePerLineStandsForOnePart}
      />
      <AreaField
        label={t.excludedIpAddresses}
        {...form.field('excludedAddresses')}
        placeholder="192.0.2.0/24"
        hint={t.addressesAndRangesWhose}
      />
    </div>
  );
}

/** What people are to do. */
function Goals({ form }: { form: Pick<FormState<'goals' | 'funnels'>, 'field'> }) {
  return (
    <div class="side-by-side">
      <AreaField
        label={t.goals}
        {...form.field('goals')}
        placeholder={t.signUpThanks}
        hint={t.onePerLineTheNameOfAnEvent}
      />
      <AreaField
        label={t.funnels}
        {...form.field('funnels')}
        placeholder={t.pricesCartOrder}
        hint={t.onePerLine2To5Goals}
      />
    </div>
  );
}

/** What is no number is sent as it is, for the server to say so. */
function toPrice(text: string): number | string | null {
  const trimmed = text.trim();
  return /^\d*\.?\d+$/.test(trimmed) ? Number(trimmed) : trimmed || null;
}

/** What is counted. */
export function General(props: SectionProps) {
  const { name, timeZone, personalPaths, siteHost, trafficPrice, goals, funnels, ...project } = props.project;
  const form = useProjectForm(
    props,
    {
      ...{ name, timeZone, personalPaths, siteHost: siteHost ?? '' },
      trafficPrice: String(trafficPrice ?? ''),
      ...{ goals: joinLines(goals), funnels: joinLines(funnels) },
      ...mapLists((list) => joinLines(project[list])),
    },
    ({ siteHost: host, trafficPrice: price, goals: reached, funnels: ways, ...values }) => ({
      settings: {
        ...values,
        siteHost: host.trim() || null,
        trafficPrice: toPrice(price),
        ...{ goals: splitWholeLines(reached), funnels: splitWholeLines(ways) },
        ...mapLists((list) => splitLines(values[list])),
      },
    }),
  );
  return (
    <SettingsForm id="site" title={t.site} action={form}>
      <div class="side-by-side">
        <TextField label={t.name} {...form.field('name')} required maxLength={100} />
        <TimeZoneField {...form.field('timeZone')} />
      </div>
      <Pages form={form} project={props.project} />
      <Exclusions form={form} />
      <div class="side-by-side">
        <TextField
          label={t.publicHost}
          {...form.field('siteHost')}
          placeholder="www.example.com"
          hint={t.itsRobotsTxtAndSitemap}
        />
        <TextField
          label={t.priceOfAGbOfTraffic}
          {...form.field('trafficPrice')}
          inputMode="decimal"
          placeholder="0.09"
          hint={t.inAnyCurrencyThenEachAi}
        />
      </div>
      <Goals form={form} />
      <ChoiceField
        label={t.personalPartsOfPaths}
        {...form.field('personalPaths')}
        options={{ mask: t.countThemAsEmailIdAndToken, keep: t.keepThemAsTheyAre }}
        hint={t.eMailAddressesUuidsAndLong}
      />
    </SettingsForm>
  );
}

interface RemovalProps {
  project: ProjectReply;
  onRemoved: (project: ProjectReply) => void;
}

/** Asks for the project's name before it is removed. */
export function Removal({ project, onRemoved }: RemovalProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card card-danger" id="removal" aria-labelledby="removal-title">
      <h2 id="removal-title">{t.removeTheProject}</h2>
      <p class="hint">{t.thisDeletesItsCountsKeys}</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.removeThisProject}
        </button>
      </div>
      {isAsking && (
        <ConfirmRemoval project={project} onRemoved={onRemoved} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}

function ConfirmRemoval({ project, onRemoved, onClose }: RemovalProps & { onClose: () => void }) {
  const { api } = useApi();
  const form = useForm({ name: '' }, async (values) => {
    await api.send('DELETE', `/v1/admin/projects/${project.id}`, values);
    onRemoved(project);
  });
  return (
    <Confirmation
      title={t.removeThisProjectQuestion}
      confirmLabel={t.removeProject}
      action={form}
      isDisabled={form.values.name.trim() !== project.name}
      onClose={onClose}
    >
      <p>{mix(t.thisCannotBeUndoneToConfirm, { name: <bdi class="strong">{project.name}</bdi> })}</p>
      <TextField label={t.nameOfTheProject} {...form.field('name')} required />
    </Confirmation>
  );
}
