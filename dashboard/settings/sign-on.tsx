import { useState } from 'preact/hooks';
import type { SignOnAccountReply, SignOnReply } from '../../shared/admin.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Dialog } from '../components/dialog.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Loaded } from '../components/notice.tsx';
import { CodeField, PasswordField, UserName } from '../components/password.tsx';

const path = '/v1/admin/sign-on/account';

interface SignOnProps {
  /** Of the user. */
  name: string;
  /** What the provider is called. */
  label: string;
}

/** The account at a provider that a user signs in by. */
export function SignOnAccount({ name, label }: SignOnProps) {
  const resource = useResource<SignOnAccountReply>(path);
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="card" id="sign-on" aria-labelledby="sign-on-title">
      <h2 id="sign-on-title">Single sign-on</h2>
      <Loaded resource={resource} lines={2}>
        {({ isConnected }) => (
          <>
            <p class="hint">
              {isConnected ? (
                <>
                  Connected: you also sign in with <bdi>{label}</bdi>, which asks for no second factor here.
                </>
              ) : (
                <>
                  Not connected. Connect your account of <bdi>{label}</bdi> to sign in with it.
                </>
              )}
            </p>
            <div class="actions">
              <button type="button" onClick={() => setAsked(true)}>
                {isConnected ? 'Disconnect' : 'Connect'} {label}
              </button>
            </div>
            {isAsked && (
              <Confirm
                name={name}
                label={label}
                isConnected={isConnected}
                onDone={resource.reload}
                onClose={() => setAsked(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface ConfirmProps extends SignOnProps {
  isConnected: boolean;
  onDone: () => void;
  onClose: () => void;
}

/** Whoever finds a session open cannot make it last. */
function Confirm({ name, label, isConnected, onDone, onClose }: ConfirmProps) {
  const { api } = useApi();
  const form = useForm({ password: '', code: '' }, async (values) => {
    if (isConnected) {
      await api.send('DELETE', path, values);
      onDone();
      onClose();
    } else {
      location.assign((await api.send<SignOnReply>('POST', path, values)).address);
    }
  });
  const asksCode = form.field('code').fault !== undefined || form.values.code !== '';
  const does = isConnected ? 'Disconnect' : 'Connect';
  return (
    <Dialog title={`${does} ${label}`} onClose={onClose}>
      <Form action={form} submitLabel={does}>
        <UserName name={name} />
        <PasswordField label="Password" {...form.field('password')} />
        {asksCode && <CodeField {...form.field('code')} mayRecover />}
      </Form>
    </Dialog>
  );
}
