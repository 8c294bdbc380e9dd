import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { submit, useForm } from '../components/form/form.tsx';
import { NewPasswordField, PasswordField, UserName } from '../components/form/password.tsx';
import { Failure } from '../components/notice.tsx';
import { t } from '../texts/installation.ts';

interface AccountProps {
  /** Of the user; null: the administrator. */
  name: string | null;
  onSignedOut: () => void;
}

/** The password of whoever is signed in, and all places where they are. */
export function Account({ name, onSignedOut }: AccountProps) {
  const { api } = useApi();
  const [isChanged, setChanged] = useState(false);
  const form = useForm({ current: '', next: '' }, async (passwords) => {
    setChanged(false);
    await api.send('POST', '/v1/admin/password', passwords);
    form.reset();
    setChanged(true);
  });
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
