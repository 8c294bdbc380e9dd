import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import { RequestError } from '../api/client.ts';
import { useApi, useResource } from '../api/resource.ts';
import { ContinueWith } from '../components/continue-with.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { NewPasswordField, UserName } from '../components/form/password.tsx';
import { Notice } from '../components/notice.tsx';
import { Standalone } from '../components/standalone.tsx';
import { decode, useRouter } from '../router/router.tsx';
import { mix } from '../texts/part.ts';
import { t } from '../texts/sign-in.ts';

interface SetupProps {
  onDone: () => void;
}

/** The administrator's password, by the one-time link that the server printed. */
export function Setup({ onDone }: SetupProps) {
  const [token] = useState(readFragment);
  if (token === '') return <IncompleteLink text={t.copyTheWholeAddressPrinted} />;
  return (
    <SetPassword path="/v1/admin/setup" token={token} onDone={onDone}>
      {t.withThisPasswordYouCanSee}
    </SetPassword>
  );
}

/** A user's password, by the link that an owner sent. */
export function Invitation({ onDone }: SetupProps) {
  const [[token = '', name = '']] = useState(() => readFragment().split('/').map(decode));
  const { signOn } = useResource<SessionReply>('/v1/admin/session').data ?? {};
  if (token === '') return <IncompleteLink text={t.copyTheWholeAddressSent} />;
  return (
    <SetPassword
      path="/v1/admin/invitation"
      token={token}
      name={name}
      other={signOn && <ContinueWith label={signOn} body={{ token }} />}
      onDone={onDone}
    >
      {mix(t.withThisPasswordAndTheName, { name: <bdi class="strong">{name}</bdi> })}
    </SetPassword>
  );
}

/** What stands after the # reaches no server, and so no log. */
const readFragment = () => location.hash.slice(1);

function IncompleteLink({ text }: { text: string }) {
  return (
    <Standalone title={t.thisLinkIsNotComplete}>
      <Notice>
        <p>{text}</p>
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
    if (password !== repeated) throw new RequestError(400, t.theTwoPasswordsDifferType);
    await api.send('POST', path, { token, password });
    onDone();
    navigate('/', { replace: true });
  });
  return (
    <Standalone title={t.setThePassword}>
      <p class="lead">{children}</p>
      <Form action={form} submitLabel={t.setPasswordAndSignIn}>
        <UserName name={name} />
        <NewPasswordField label={t.password} {...form.field('password')} hint={t.atLeast10Characters} />
        <NewPasswordField label={t.repeatThePassword} {...form.field('repeated')} />
      </Form>
      {other}
    </Standalone>
  );
}
