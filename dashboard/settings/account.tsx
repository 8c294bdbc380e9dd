import { useState } from 'preact/hooks';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { faultOf, submit, TextField } from '../components/field.tsx';
import { Failure } from '../components/notice.tsx';

/** The administrator's password, and all places where somebody is signed in. */
export function Account({ onSignedOut }: { onSignedOut: () => void }) {
  const { api } = useApi();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isChanged, setChanged] = useState(false);
  const change = useAction(async () => {
    setChanged(false);
    await api.send('POST', '/v1/admin/password', { current, next });
    setCurrent('');
    setNext('');
    setChanged(true);
  });
  const leave = useAction(async () => {
    await api.send('DELETE', '/v1/admin/sessions');
    onSignedOut();
  });
  return (
    <section class="card" id="account" aria-labelledby="account-title">
      <h2 id="account-title">Password</h2>
      <form class="form" onSubmit={submit(() => change.run())}>
        <input type="text" name="username" autocomplete="username" value="administrator" hidden readOnly />
        <div class="side-by-side">
          <TextField
            label="Present password"
            type="password"
            name="current"
            autocomplete="current-password"
            value={current}
            onText={setCurrent}
            required
          />
          <TextField
            label="New password"
            type="password"
            name="next"
            autocomplete="new-password"
            value={next}
            onText={setNext}
            minLength={10}
            maxLength={1000}
            required
            hint="At least 10 characters. All other sessions end."
            fault={faultOf(change.failure, 'next')}
          />
        </div>
        <Failure failure={change.failure ?? leave.failure} />
        <div class="actions">
          <span class="saved" role="status">
            {isChanged && 'Changed'}
          </span>
          <button type="button" onClick={() => leave.run()} disabled={leave.isBusy}>
            Sign out everywhere
          </button>
          <button type="submit" class="primary" disabled={change.isBusy}>
            Change the password
          </button>
        </div>
      </form>
    </section>
  );
}
