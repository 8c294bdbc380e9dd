import { useState } from 'preact/hooks';
import { RequestError } from '../api/client.ts';
import { useApi } from '../api/context.ts';
import { Form, useForm } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { NewPasswordField, UserName } from '../components/password.tsx';
import { Standalone } from '../components/standalone.tsx';
import { useRouter } from '../router/router.tsx';

/** Sets the password with the token of the one-time link, which stands in the fragment and so reaches no log. */
export function Setup({ onDone }: { onDone: () => void }) {
  const [token] = useState(() => location.hash.slice(1));
  return token === '' ? <IncompleteLink /> : <SetPassword token={token} onDone={onDone} />;
}

function IncompleteLink() {
  return (
    <Standalone title="This link is not complete">
      <Notice>
        <p>Copy the whole address that the server printed, including everything after the #.</p>
      </Notice>
    </Standalone>
  );
}

function SetPassword({ token, onDone }: { token: string; onDone: () => void }) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const form = useForm({ password: '', repeated: '' }, async ({ password, repeated }) => {
    if (password !== repeated)
      throw new RequestError(400, 'The two passwords differ. Type the same one twice.');
    await api.send('POST', '/v1/admin/setup', { token, password });
    onDone();
    navigate('/', { replace: true });
  });
  return (
    <Standalone title="Set the password">
      <p class="lead">With this password you can see and change everything in Headcount.</p>
      <Form action={form} submitLabel="Set password and sign in">
        <UserName />
        <NewPasswordField label="Password" {...form.field('password')} hint="At least 10 characters." />
        <NewPasswordField label="Repeat the password" {...form.field('repeated')} />
      </Form>
    </Standalone>
  );
}
