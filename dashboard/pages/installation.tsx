import type { ProjectReply, SessionReply } from '../../shared/accounts/admin.ts';
import { Page } from '../components/page.tsx';
import { Link } from '../router/router.tsx';
import { Account } from '../settings/account.tsx';
import { Audit } from '../settings/audit.tsx';
import { People } from '../settings/people.tsx';
import { SecondFactor } from '../settings/second-factor.tsx';
import { SignOnAccount } from '../settings/sign-on.tsx';
import { t } from '../texts/installation.ts';
import { fill } from '../texts/part.ts';

interface InstallationProps {
  projects: ProjectReply[];
  session: SessionReply;
  onSignedOut: () => void;
}

/** What belongs to no project. */
export function Installation({ projects, session: { name, role, signOn }, onSignedOut }: InstallationProps) {
  return (
    <Page title={t.installation} class="page-text">
      <p class="lead">{t.settingsForAllProjects}</p>
      <Account name={name} onSignedOut={onSignedOut} />
      <SecondFactor name={name} />
      {signOn !== null && name !== null && <SignOnAccount name={name} label={signOn} />}
      {role === 'owner' && <People projects={projects} />}
      {role === 'owner' && <Audit path="/v1/audit" projects={projects} />}
      <section class="card" aria-labelledby="projects-title">
        <h2 id="projects-title">{t.projects}</h2>
        <ul class="rows">
          {projects.map((project) => (
            <ProjectRow key={project.id} project={project} />
          ))}
          {projects.length === 0 && <li class="empty">{t.thereAreNoProjectsYet}</li>}
        </ul>
      </section>
    </Page>
  );
}

function ProjectRow({ project: { id, name, hosts, timeZone, role } }: { project: ProjectReply }) {
  return (
    <li>
      <div class="rows-main">
        <Link href={`/p/${id}`} class="strong name">
          <bdi>{name}</bdi>
        </Link>
        <p class="hint">
          {hosts.length > 0 && (
            <>
              <bdi>{hosts.join(', ')}</bdi> ·{' '}
            </>
          )}
          {timeZone}
        </p>
      </div>
      {role !== 'viewer' && (
        <Link href={`/p/${id}/settings`} class="button small" aria-label={fill(t.settingsOf, { name })}>
          {t.settings}
        </Link>
      )}
    </li>
  );
}
