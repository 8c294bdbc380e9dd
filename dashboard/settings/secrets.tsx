import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { SecretName } from '../../shared/secrets.ts';
import { AreaField, TextField } from '../components/form/field.tsx';
import type { FormState } from '../components/form/form.tsx';
import { Failure } from '../components/notice.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, useProjectForm } from './form.tsx';

/** Those that the user may set. */
export const secretsFor = ({ role }: ProjectReply, names: readonly SecretName[]) =>
  role === 'owner' ? names : [];

interface SecretFieldsProps extends SectionProps {
  names: readonly SecretName[];
  form: Pick<FormState<SecretName>, 'field'>;
}

/** Secrets are written with all else of a form, and never read back. */
export function SecretFields({ names, form, ...props }: SecretFieldsProps) {
  if (names.length === 0) return null;
  return (
    <fieldset class="inset">
      <legend>{t.secrets}</legend>
      <p class="hint">{t.theyAreStoredEncrypted}</p>
      {names.map((name) => (
        <Secret key={name} name={name} field={form.field(name)} {...props} />
      ))}
    </fieldset>
  );
}

interface SecretProps extends SectionProps {
  name: SecretName;
  field: ReturnType<SecretFieldsProps['form']['field']>;
}

function Secret({ name, field, ...props }: SecretProps) {
  const { label, hint } = t.secretKinds[name];
  const isSet = props.project.secrets[name];
  const removal = useProjectForm(props, {}, () => ({ secrets: { [name]: null } }));
  const all = { ...field, label, hint, placeholder: isSet ? t.isSet : t.notSet };
  return (
    <>
      {name === 'githubAppKey' || name === 'repositoryTokens' || name === 'signingKey' ? (
        <AreaField {...all} spellcheck={false} autocomplete="off" />
      ) : (
        <TextField {...all} type="password" autocomplete="new-password" />
      )}
      <Failure failure={removal.failure} />
      {isSet && (
        <div class="actions">
          <button
            type="button"
            class="small"
            onClick={() => removal.run()}
            disabled={removal.isBusy}
            aria-label={fill(t.removeSecret, { label })}
          >
            {t.remove}
          </button>
        </div>
      )}
    </>
  );
}
