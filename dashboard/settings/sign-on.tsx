import { useState } from 'preact/hooks';
import type { SignOnAccountReply, SignOnReply } from '../../shared/accounts/sign-on.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Dialog } from '../components/dialog.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { CodeField, PasswordField, UserName } from '../components/form/password.tsx';
import { Loaded } from '../components/notice.tsx';
import { t } from '../texts/installation.ts';
import { fill, mix } from '../texts/part.ts';

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
      <h2 id="sign-on-title">{t.singleSignOn}</h2>
      <Loaded resource={resource} lines={2}>
        {({ isConnected }) => (
          <>
            <p class="hint">
              {mix(isConnected ? t.connectedYouAlsoSign : t.notConnectedConnectYour, {
                label: <bdi>{label}</bdi>,
              })}
            </p>
            <div class="actions">
              <button type="button" onClick={() => setAsked(true)}>
                {fill(isConnected ? t.disconnectFrom : t.connectTo, { label })}
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

/** Someone who finds an open session cannot make it last. */
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
  const title = fill(isConnected ? t.disconnectFrom : t.connectTo, { label });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={form} submitLabel={isConnected ? t.disconnect : t.connect} isKept>
        <UserName name={name} />
        <PasswordField label={t.password} {...form.field('password')} />
        {asksCode && <CodeField {...form.field('code')} mayRecover />}
      </Form>
    </Dialog>
  );
}
