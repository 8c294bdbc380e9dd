import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionReply } from '../../shared/admin.ts';
import { RequestError } from '../api/client.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { ContinueWith } from '../components/continue-with.tsx';
import { Form, useForm } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { NewPasswordField, UserName } from '../components/password.tsx';
import { Standalone } from '../components/standalone.tsx';
import { decode, useRouter } from '../router/router.tsx';

interface SetupProps {
  onDone: () => void;
}

/** The administrator's password, by the one-time link that the server printed. */
export function Setup({ onDone }: SetupProps) {
  const [token] = useState(readFragment);
  if (token === '') return <IncompleteLink origin="the server printed" />;
  return (
    <SetPassword path="/v1/admin/setup" token={token} onDone={onDone}>
      With this password you can see and change everything in Headcount.
    </SetPassword>
  );
}

/** A user's password, by the link that an owner sent. */
export function Invitation({ onDone }: SetupProps) {
  const [[token = '', name = '']] = useState(() => readFragment().split('/').map(decode));
  const { signOn } = useResource<SessionReply>('/v1/admin/session').data ?? {};
  if (token === '') return <IncompleteLink origin="you were sent" />;
  return (
    <SetPassword
      path="/v1/admin/invitation"
      token={token}
      name={name}
      other={signOn && <ContinueWith label={signOn} body={{ token }} />}
      onDone={onDone}
    >
      With this password and the name <bdi class="strong">{name}</bdi> you sign in to Headcount from now on.
    </SetPassword>
  );
}

/** What stands after the # reaches no server, and so no log. */
const readFragment = () => location.hash.slice(1);

function IncompleteLink({ origin }: { origin: string }) {
  return (
    <Standalone title="This link is not complete">
      <Notice>
        <p>Copy the whole address that {origin}, including everything after the #.</p>
      </Notice>
    </Standalone>
  );
}

interface SetPasswordProps extends SetupProps {
  path: string;
  token: string;
  /** Of the user; left out: the administrator. */
  name?: string;
  /** Another way than a password. */
  other?: ComponentChildren;
  children: ComponentChildren;
}

function SetPassword({ path, token, name, other, onDone, children }: SetPasswordProps) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const form = useForm({ password: '', repeated: '' }, async ({ password, repeated }) => {
    if (password !== repeated)
      throw new RequestError(400, 'The two passwords differ. Type the same one twice.');
    await api.send('POST', path, { token, password });
    onDone();
    navigate('/', { replace: true });
  });
  return (
    <Standalone title="Set the password">
      <p class="lead">{children}</p>
      <Form action={form} submitLabel="Set password and sign in">
        <UserName name={name} />
        <NewPasswordField label="Password" {...form.field('password')} hint="At least 10 characters." />
        <NewPasswordField label="Repeat the password" {...form.field('repeated')} />
      </Form>
      {other}
    </Standalone>
  );
}
