import { useEffect, useState } from 'preact/hooks';
import type { SessionReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { submit, TextField } from '../components/field.tsx';
import { Failure, Notice } from '../components/notice.tsx';
import { Standalone } from '../components/standalone.tsx';
import { safeRedirect, useRouter } from '../router/router.tsx';

export function SignIn({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const { navigate, query } = useRouter();
  const [password, setPassword] = useState('');
  const session = useResource<SessionReply>('/v1/admin/session');
  const state = session.data?.state;
  const next = safeRedirect(query.get('next'));
  const enter = () => {
    onDone();
    navigate(next, { replace: true });
  };
  useEffect(() => {
    if (state === 'signed-in') enter();
  }, [state]);
  const signIn = useAction(async () => {
    await api.send('POST', '/v1/admin/session', { password });
    enter();
  });
  if (state === 'setup') return <NoPassword />;
  return (
    <Standalone title="Sign in">
      <form class="form" onSubmit={submit(() => signIn.run())}>
        <TextField
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          value={password}
          onText={setPassword}
          required
        />
        <Failure failure={signIn.failure} />
        <button type="submit" class="primary" disabled={signIn.isBusy}>
          {signIn.isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <p class="hint">
          Forgotten? On the server, <code>npm run -s headcount -- admin password</code> sets a new one.
        </p>
      </form>
    </Standalone>
  );
}

function NoPassword() {
  return (
    <Standalone title="Nobody has set a password yet">
      <Notice>
        <p>
          Open the one-time link that the server printed when it started. Is it lost? On the server,{' '}
          <code>npm run -s headcount -- admin password</code> prints a new one.
        </p>
      </Notice>
    </Standalone>
  );
}
