import type { RecoveryCodesReply } from '../../shared/admin.ts';
import { useApi } from '../api/context.ts';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Form, useForm } from '../components/form.tsx';
import { CodeField, PasswordField, UserName } from '../components/password.tsx';

export const factorPath = '/v1/admin/second-factor';

export interface FactorDialogProps {
  /** Of the user; null: the administrator. */
  name: string | null;
  /** @param next what is to be shown then */
  onDone: (next?: { recoveryCodes: readonly string[] }) => void;
  onClose: () => void;
}

export function NewCodes({ name, onDone, onClose }: FactorDialogProps) {
  const { api } = useApi();
  const form = useForm({ password: '', code: '' }, async (values) => {
    onDone(await api.send<RecoveryCodesReply>('POST', `${factorPath}/recovery-codes`, values));
  });
  return (
    <Dialog title="New recovery codes" onClose={onClose}>
      <p>The codes that you have are good no more then.</p>
      <Form action={form} submitLabel="Make new codes">
        <UserName name={name ?? undefined} />
        <PasswordField label="Password" {...form.field('password')} />
        <CodeField {...form.field('code')} mayRecover />
      </Form>
    </Dialog>
  );
}

export function TurnOff({ name, onDone, onClose }: FactorDialogProps) {
  const { api } = useApi();
  const form = useForm({ password: '', code: '' }, async (values) => {
    await api.send('DELETE', factorPath, values);
    onDone();
  });
  return (
    <Dialog title="Turn off the second factor?" onClose={onClose}>
      <p>Your password alone signs in then.</p>
      <Form action={form} submitLabel="Turn off">
        <UserName name={name ?? undefined} />
        <PasswordField label="Password" {...form.field('password')} />
        <CodeField {...form.field('code')} mayRecover />
      </Form>
    </Dialog>
  );
}

export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Keep these recovery codes" onClose={onClose}>
      <p>
        Each of them signs in once, in the place of a code, when you do not have your phone. They are shown
        only this once: keep them where you keep passwords.
      </p>
      <Code text={codes.join('\n')} what="the recovery codes" />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have kept them
        </button>
      </div>
    </Dialog>
  );
}
