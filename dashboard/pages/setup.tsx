import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import { ApiError } from '../api/client.ts';
import { useApi } from '../api/context.ts';
import { faultOf, submit, TextField } from '../components/field.tsx';
import { Failure, Notice } from '../components/notice.tsx';
import { Standalone } from '../components/standalone.tsx';
import { useRouter } from '../router/router.tsx';

/** Sets the password with the token of the one-time link, which stands in the fragment and so reaches no log. */
export function Setup({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const [token] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const set = useAction(async () => {
    if (password !== again) throw new ApiError(400, 'The two passwords differ: type the same one twice.');
    await api.send('POST', '/v1/admin/setup', { token, password });
    onDone();
    navigate('/', { replace: true });
  });
  if (token === '') {
    return (
      <Standalone title="This link is not complete">
        <Notice>
          <p>Copy the whole address that the server printed, with all that follows the #.</p>
        </Notice>
      </Standalone>
    );
  }
  return (
    <Standalone title="Set the password">
      <p class="lead">Whoever has it sees and changes everything here.</p>
      <form class="form" onSubmit={submit(() => set.run())}>
        <input type="text" name="username" autocomplete="username" value="administrator" hidden readOnly />
        <TextField
          label="Password"
          type="password"
          name="password"
          autocomplete="new-password"
          value={password}
          onText={setPassword}
          minLength={10}
          maxLength={1000}
          required
          hint="At least 10 characters."
          fault={faultOf(set.failure, 'password')}
        />
        <TextField
          label="The same once more"
          type="password"
          name="again"
          autocomplete="new-password"
          value={again}
          onText={setAgain}
          required
        />
        <Failure failure={set.failure} />
        <button type="submit" class="primary" disabled={set.isBusy}>
          Set it and sign in
        </button>
      </form>
    </Standalone>
  );
}
