import type { ProjectReply, SessionReply } from '../../shared/accounts/admin.ts';
import { Page } from '../components/page.tsx';
import { Account } from '../settings/account.tsx';
import { AddressLists } from '../settings/address-lists.tsx';
import { Audit } from '../settings/audit.tsx';
import { People } from '../settings/people.tsx';
import { SecondFactor } from '../settings/second-factor.tsx';
import { SignOnAccount } from '../settings/sign-on.tsx';
import { t } from '../texts/installation.ts';

interface InstallationProps {
  projects: ProjectReply[];
  session: SessionReply;
  onSignedOut: () => void;
}

/** What belongs to no project. Projects themselves are listed on the first page, where they can be searched. */
export function Installation({ projects, session: { name, role, signOn }, onSignedOut }: InstallationProps) {
  return (
    <Page title={t.installation} class="page-text">
      <p class="lead">{t.settingsForAllProjects}</p>
      <Account name={name} onSignedOut={onSignedOut} />
      <SecondFactor name={name} />
      {signOn !== null && name !== null && <SignOnAccount name={name} label={signOn} />}
      {role === 'owner' && <People projects={projects} />}
      {role === 'owner' && <AddressLists />}
      {role === 'owner' && <Audit path="/v1/audit" projects={projects} />}
    </Page>
  );
}
