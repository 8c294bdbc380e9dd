import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { submit, useForm } from '../components/form.tsx';
import { Failure } from '../components/notice.tsx';
import { NewPasswordField, PasswordField, UserName } from '../components/password.tsx';

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
      <h2 id="account-title">Password</h2>
      <form class="form" onSubmit={submit(() => form.run())}>
        <UserName name={name ?? undefined} />
        <div class="side-by-side">
          <PasswordField label="Current password" {...form.field('current')} />
          <NewPasswordField
            label="New password"
            {...form.field('next')}
            hint="At least 10 characters. Changing it signs out all other browsers."
          />
        </div>
        <Failure failure={form.failure ?? signOut.failure} />
        <div class="actions">
          <span class="saved" role="status">
            {isChanged && 'Changed'}
          </span>
          <button type="button" onClick={() => signOut.run()} disabled={signOut.isBusy}>
            Sign out everywhere
          </button>
          <button type="submit" class="primary" disabled={form.isBusy}>
            Change password
          </button>
        </div>
      </form>
    </section>
  );
}
