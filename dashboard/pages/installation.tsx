import { useState } from 'preact/hooks';
import type { ProjectReply, SessionReply } from '../../shared/accounts/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { submit, useForm } from '../components/form/form.tsx';
import { NewPasswordField, PasswordField, UserName } from '../components/form/password.tsx';
import { Failure } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { useUnsaved } from '../router/unsaved.ts';
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
      {role === 'owner' && <Audit path="/v1/audit" projects={projects} />}
    </Page>
  );
}

interface AccountProps {
  /** Of the user; null: the administrator. */
  name: string | null;
  onSignedOut: () => void;
}

/** The user's password, and all places where they are. */
export function Account({ name, onSignedOut }: AccountProps) {
  const { api } = useApi();
  const [isChanged, setChanged] = useState(false);
  const form = useForm({ current: '', next: '' }, async (passwords) => {
    setChanged(false);
    await api.send('POST', '/v1/admin/password', passwords);
    form.reset();
    setChanged(true);
  });
  // The other field is filled in by browsers.
  useUnsaved(!form.isBusy && form.values.next !== '');
  const signOut = useAction(async () => {
    await api.send('DELETE', '/v1/admin/sessions');
    onSignedOut();
  });
  return (
    <section class="card" id="account" aria-labelledby="account-title">
      <h2 id="account-title">{t.password}</h2>
      <form class="form" onSubmit={submit(() => form.run())}>
        <UserName name={name ?? undefined} />
        <div class="side-by-side">
          <PasswordField label={t.currentPassword} {...form.field('current')} />
          <NewPasswordField
            label={t.newPassword}
            {...form.field('next')}
            hint={t.atLeast10CharactersChanging}
          />
        </div>
        <Failure failure={form.failure ?? signOut.failure} />
        <div class="actions">
          <span class="saved" role="status">
            {isChanged && t.changed}
          </span>
          <button type="button" onClick={() => signOut.run()} disabled={signOut.isBusy}>
            {t.signOutEverywhere}
          </button>
          <button type="submit" class="primary" disabled={form.isBusy}>
            {t.changePassword}
          </button>
        </div>
      </form>
    </section>
  );
}
