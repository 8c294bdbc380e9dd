import type { ProjectReply } from '../../shared/admin.ts';
import { AreaField, ChoiceField, TextField } from '../components/field.tsx';
import type { FormState } from '../components/form.tsx';
import { TimeZoneField } from '../components/time-zone-field.tsx';
import { joinLines, splitLines, splitWholeLines } from '../formats/lines.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const lists = ['hosts', 'excludedPaths', 'excludedAddresses', 'keptParameters'] as const;
type ListName = (typeof lists)[number];

/** Turns each list of the settings into something else, such as its text. */
const mapLists = <T,>(convert: (name: ListName) => T) =>
  Object.fromEntries(lists.map((name) => [name, convert(name)])) as Record<ListName, T>;

/** Asks for the names of the hosts once some were seen. */
function hostsHint({ hosts, seenHosts }: ProjectReply): string {
  if (hosts.length > 0) return 'Leave it empty to count all hosts.';
  if (seenHosts.length === 0) return 'If it is empty, all hosts are counted, even your own machine.';
  return `Name the hosts of your site. Pages were seen on ${seenHosts.join(', ')}. If it is empty, all hosts are counted, but localhost and other private names only until a public one was seen.`;
}

type Form = Pick<FormState<ListName>, 'field'>;

/** Which pages are of the site, and what of their addresses counts. */
function Pages({ form, project }: { form: Form; project: ProjectReply }) {
  return (
    <div class="side-by-side">
      <AreaField
        label="Host names"
        {...form.field('hosts')}
        placeholder="www.example.com"
        hint={`One per line. Views on other hosts are not counted. ${hostsHint(project)}`}
      />
      <AreaField
        label="Query parameters to keep"
        {...form.field('keptParameters')}
        placeholder="page"
        hint="One per line. They stay part of the path, as in /search?page=2; all others are removed."
      />
    </div>
  );
}

function Exclusions({ form }: { form: Form }) {
  return (
    <div class="side-by-side">
      <AreaField
        label="Excluded paths"
        {...form.field('excludedPaths')}
        placeholder="/admin/**"
        hint="One per line. * stands for one part of a path, ** for any number of parts."
      />
      <AreaField
        label="Excluded IP addresses"
        {...form.field('excludedAddresses')}
        placeholder="192.0.2.0/24"
        hint="Addresses and ranges whose visits are not counted, such as those of your office."
      />
    </div>
  );
}

/** What people are to do. */
function Goals({ form }: { form: Pick<FormState<'goals' | 'funnels'>, 'field'> }) {
  return (
    <div class="side-by-side">
      <AreaField
        label="Goals"
        {...form.field('goals')}
        placeholder={'Sign up\n/thanks'}
        hint="One per line: the name of an event, or a path, in which * and ** stand for any parts. How many people reach them is counted from tomorrow on."
      />
      <AreaField
        label="Funnels"
        {...form.field('funnels')}
        placeholder="/prices > /cart > Order"
        hint="One per line: 2 to 5 goals that people are to reach one after the other on one day."
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
    <SettingsForm id="site" title="Site" action={form}>
      <div class="side-by-side">
        <TextField label="Name" {...form.field('name')} required maxLength={100} />
        <TimeZoneField {...form.field('timeZone')} />
      </div>
      <Pages form={form} project={props.project} />
      <Exclusions form={form} />
      <div class="side-by-side">
        <TextField
          label="Public host"
          {...form.field('siteHost')}
          placeholder="www.example.com"
          hint="Its robots.txt and sitemap are fetched once a day, to say what AI clients make of them. Leave it empty to fetch nothing."
        />
        <TextField
          label="Price of a GB of traffic"
          {...form.field('trafficPrice')}
          inputMode="decimal"
          placeholder="0.09"
          hint="In any currency. Then each AI client has its cost, where your server or log tells the length of answers."
        />
      </div>
      <Goals form={form} />
      <ChoiceField
        label="Personal parts of paths"
        {...form.field('personalPaths')}
        options={{ mask: 'Count them as :email, :id and :token', keep: 'Keep them as they are' }}
        hint="E-mail addresses, UUIDs and long random tokens, as in /reset/:token. What is counted already stays."
      />
    </SettingsForm>
  );
}
