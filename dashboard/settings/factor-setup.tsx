import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { FactorSecretReply, RecoveryCodesReply } from '../../shared/accounts/second-factor.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { CodeField, PasswordField, UserName } from '../components/form/password.tsx';
import { Failure, Skeleton } from '../components/notice.tsx';
import { t } from '../texts/installation.ts';
import { type FactorDialogProps, factorPath } from './factor-dialogs.tsx';

/** Makes a secret, and shows it to an app. */
export function TurnOn(props: FactorDialogProps) {
  const { api } = useApi();
  const [made, setMade] = useState<FactorSecretReply>();
  const make = useAction(async () => setMade(await api.send('POST', `${factorPath}/secret`)));
  useEffect(() => {
    void make.run();
  }, []);
  return (
    <Dialog title={t.turnOnTheSecondFactor} onClose={props.onClose}>
      <Failure failure={make.failure} retry={make.run} />
      {made ? <Confirm {...props} made={made} /> : make.isBusy && <Skeleton lines={6} />}
    </Dialog>
  );
}

function Confirm({ name, made, onDone }: FactorDialogProps & { made: FactorSecretReply }) {
  const { api } = useApi();
  const form = useForm({ password: '', code: '' }, async (values) => {
    onDone(await api.send<RecoveryCodesReply>('POST', factorPath, { ...values, secret: made.secret }));
  });
  return (
    <>
      <p>{t.scanThisWithAnAppForCodes}</p>
      <QrCode text={made.address} />
      <Code text={made.secret.match(/.{4}/g)?.join(' ') ?? made.secret} what={t.theKey} />
      <Form action={form} submitLabel={t.turnOn} isKept>
        <UserName name={name ?? undefined} />
        <PasswordField label={t.password} {...form.field('password')} />
        <CodeField {...form.field('code')} />
      </Form>
    </>
  );
}

/** Black on white in dark rooms too, as apps want it. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t.theKeyAsAPictureForAnApp}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
