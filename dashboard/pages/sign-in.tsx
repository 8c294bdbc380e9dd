import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import { RequestError } from '../api/client.ts';
import { useApi, useResource } from '../api/resource.ts';
import { hasLostSession } from '../api/session-note.ts';
import { ContinueWith } from '../components/continue-with.tsx';
import { TextField } from '../components/form/field.tsx';
import { Form, type FormState, useForm } from '../components/form/form.tsx';
import { CodeField, PasswordField, UserName } from '../components/form/password.tsx';
import { Notice } from '../components/notice.tsx';
import { Standalone } from '../components/standalone.tsx';
import { safeRedirect, useRouter } from '../router/router.tsx';
import { t as frame } from '../texts/frame.ts';
import { mix } from '../texts/part.ts';
import { t } from '../texts/sign-in.ts';

export function SignIn({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const { navigate, query } = useRouter();
  const { state, hasUsers = false, signOn } = useResource<SessionReply>('/v1/admin/session').data ?? {};
  const enter = () => {
    onDone();
    navigate(safeRedirect(query.get('next')), { replace: true });
  };
  useEffect(() => {
    if (state === 'signed-in') enter();
  }, [state]);
  const [asksCode, setAsksCode] = useState(false);
  const form = useForm({ name: '', password: '', code: '' }, async ({ code, ...values }) => {
    try {
      await api.send('POST', '/v1/admin/session', asksCode ? { ...values, code } : values);
    } catch (error) {
      if (asksCode || !isCodeMissing(error)) throw error;
      return setAsksCode(true);
    }
    enter();
  });
  if (state === 'setup') return <NoPassword />;
  if (asksCode) {
    const startOver = () => {
      form.reset();
      form.clear();
      setAsksCode(false);
    };
    return <SecondStep form={form} onBack={startOver} />;
  }
  return (
    <Standalone title={t.signIn}>
      {query.has('next') && hasLostSession() && <SessionEnded />}
      <Form action={form} submitLabel={form.isBusy ? t.signingIn : t.signIn}>
        {hasUsers ? (
          <TextField
            label={frame.name}
            {...form.field('name')}
            autocomplete="username"
            hint={t.leaveItEmptyToSign}
          />
        ) : (
          <UserName />
        )}
        <PasswordField label={t.password} {...form.field('password')} />
      </Form>
      {signOn && <ContinueWith label={signOn} body={{ next: query.get('next') ?? '/' }} />}
      <p class="hint">
        {mix(t.forgotThePassword, { command: <code>npm run -s headcount -- admin password</code> })}
        {hasUsers && ` ${t.ifYouSignInWithAName}`}
      </p>
    </Standalone>
  );
}

/** The password was right. */
const isCodeMissing = (error: unknown) =>
  error instanceof RequestError && error.details.some(({ path }) => path === 'code');

interface SecondStepProps {
  form: FormState<'name' | 'password' | 'code'>;
  onBack: () => void;
}

function SecondStep({ form, onBack }: SecondStepProps) {
  const code = useRef<HTMLDivElement>(null);
  // Who cannot see that the page is another knows it by where they are.
  useEffect(() => code.current?.querySelector('input')?.focus(), []);
  return (
    <Standalone title={t.secondFactor}>
      <Form action={form} submitLabel={form.isBusy ? t.signingIn : t.signIn}>
        <div ref={code}>
          <CodeField {...form.field('code')} mayRecover />
        </div>
      </Form>
      <p class="hint">
        {mix(t.lostYourPhoneAndTheRecovery, {
          command: <code>npm run -s headcount -- user reset-factor administrator</code>,
        })}
      </p>
      <button type="button" class="quiet" onClick={onBack}>
        {t.startOver}
      </button>
    </Standalone>
  );
}

function NoPassword() {
  return (
    <Standalone title={t.noPasswordHasBeenSetYet}>
      <Notice>
        <p>{mix(t.openTheOneTimeLink, { command: <code>npm run -s headcount -- admin password</code> })}</p>
      </Notice>
    </Standalone>
  );
}

/** The server knows only that there is no such session any more. */
function SessionEnded() {
  return (
    <Notice>
      <p>{t.yourSessionHasEnded}</p>
    </Notice>
  );
}
