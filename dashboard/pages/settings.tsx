import type { ComponentType } from 'preact';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { Page } from '../components/page.tsx';
import { type SettingsEnd, settingsPagesFor } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { Audit } from '../settings/audit.tsx';
import { Exclusions } from '../settings/exclusions.tsx';
import { FieldsForm, JobSettings } from '../settings/fields.tsx';
import type { SectionProps } from '../settings/form.tsx';
import { Removal, Retention } from '../settings/general.tsx';
import { Goals } from '../settings/goals.tsx';
import { Keys } from '../settings/keys.tsx';
import { Links } from '../settings/links.tsx';
import { Reports } from '../settings/reports.tsx';
import { t as common } from '../texts/common.ts';
import { t } from '../texts/settings.ts';

interface SettingsProps extends SectionProps {
  onRemoved: (project: ProjectReply) => void;
}

/** The settings of a project, a page each. */
const pages: Readonly<Record<SettingsEnd, ComponentType<SettingsProps>>> = {
  '': (props) => (
    <>
      <FieldsForm {...props} id="general" title={common.settingsPages.general} rows={general} />
      <Exclusions {...props} />
    </>
  ),
  '/goals': Goals,
  '/reports': Reports,
  '/sharing': (props) => (
    <>
      <Links project={props.project} />
      {props.project.role === 'owner' && (
        <FieldsForm
          {...props}
          id="frames"
          title={t.frames}
          lead={t.whatAShareLinkLeadsToIsShown}
          rows={frames}
        />
      )}
    </>
  ),
  '/jobs': JobSettings,
  '/keys': ({ project }) => (
    <>
      <Keys project={project} />
      <Audit path={`/v1/projects/${project.id}/audit`} />
    </>
  ),
  '/danger': (props) => (
    <>
      <Retention {...props} />
      <Removal {...props} />
    </>
  ),
};

/** What is counted. */
const general = [
  ['name', 'timeZone'],
  ['hosts', 'keptParameters'],
  ['siteHost', 'trafficPrice'],
  ['personalPaths'],
] as const;
/** Which sites may show what share links lead to. */
const frames = [['embedOrigins']] as const;

export function Settings({ end, ...props }: SettingsProps & { end: string }) {
  const { id, role } = props.project;
  const Shown = pages[end.slice('/settings'.length) as SettingsEnd];
  return (
    <Page title={t.settings} class="page-text">
      <nav class="switch" aria-label={t.settings}>
        {settingsPagesFor(role).map(({ end: to, name }) => (
          <Link key={to} href={`/p/${id}${to}`} aria-current={to === end ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <Shown {...props} />
    </Page>
  );
}
