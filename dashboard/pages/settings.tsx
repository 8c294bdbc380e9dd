import { useEffect } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { AreaField } from '../components/form/field.tsx';
import { Page } from '../components/page.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { Audit } from '../settings/audit.tsx';
import { type SectionProps, SettingsForm, useProjectForm } from '../settings/form.tsx';
import { General, Removal } from '../settings/general.tsx';
import { JobSettings } from '../settings/jobs.tsx';
import { Links } from '../settings/links.tsx';
import { Reports } from '../settings/reports.tsx';
import { Retention } from '../settings/retention.tsx';
import { Secrets } from '../settings/secrets.tsx';
import { t } from '../texts/settings.ts';

interface SettingsProps {
  project: ProjectReply;
  onProject: (project: ProjectReply) => void;
  onRemoved: (project: ProjectReply) => void;
}

export function Settings({ project, onProject, onRemoved }: SettingsProps) {
  const isOwner = project.role === 'owner';
  useEffect(() => {
    const section = location.hash && document.getElementById(location.hash.slice(1));
    if (section) section.scrollIntoView();
  }, []);
  return (
    <Page title={t.settings} class="page-text">
      <General project={project} onProject={onProject} />
      {isOwner && <Retention project={project} onProject={onProject} />}
      <Reports project={project} onProject={onProject} />
      <JobSettings project={project} onProject={onProject} />
      {isOwner && <Secrets project={project} onProject={onProject} />}
      <Links project={project} />
      {isOwner && <Frames project={project} onProject={onProject} />}
      {isOwner && <Audit path={`/v1/projects/${project.id}/audit`} />}
      {isOwner && <Removal project={project} onRemoved={onRemoved} />}
    </Page>
  );
}

/** Which sites may show what share links lead to. */
export function Frames(props: SectionProps) {
  const form = useProjectForm(
    props,
    { embedOrigins: joinLines(props.project.embedOrigins) },
    ({ embedOrigins }) => ({ settings: { embedOrigins: splitLines(embedOrigins) } }),
  );
  return (
    <SettingsForm id="frames" title={t.frames} lead={t.whatAShareLinkLeadsToIsShown} action={form}>
      <AreaField
        label={t.originsOfTheseSites}
        {...form.field('embedOrigins')}
        placeholder="https://www.example.com"
        hint={t.onePerLineLeaveItEmpty}
      />
    </SettingsForm>
  );
}
