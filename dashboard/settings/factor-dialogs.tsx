import type { RecoveryCodesReply } from '../../shared/accounts/second-factor.ts';
import { useApi } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { CodeField, PasswordField, UserName } from '../components/form/password.tsx';
import { t } from '../texts/installation.ts';

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
    <Dialog title={t.newRecoveryCodes} onClose={onClose}>
      <p>{t.theCodesThatYouHaveAreGood}</p>
      <Form action={form} submitLabel={t.makeNewCodes} isKept>
        <UserName name={name ?? undefined} />
        <PasswordField label={t.password} {...form.field('password')} />
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
    <Dialog title={t.turnOffFactorQuestion} onClose={onClose}>
      <p>{t.yourPasswordAloneSignsInThen}</p>
      <Form action={form} submitLabel={t.turnOff} isKept>
        <UserName name={name ?? undefined} />
        <PasswordField label={t.password} {...form.field('password')} />
        <CodeField {...form.field('code')} mayRecover />
      </Form>
    </Dialog>
  );
}

export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title={t.keepTheseRecoveryCodes} onClose={onClose}>
      <p>{t.eachOfThemSignsInOnce}</p>
      <Code text={codes.join('\n')} what={t.theRecoveryCodes} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {t.iHaveKeptThem}
        </button>
      </div>
    </Dialog>
  );
}
