import type { SecretName } from '../../shared/secrets.ts';
import type { Action } from '../api/action.ts';
import { AreaField, TextField } from '../components/form/field.tsx';
import { submit } from '../components/form/form.tsx';
import { UserName } from '../components/form/password.tsx';
import { Failure } from '../components/notice.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, useProjectForm } from './form.tsx';

/** Secrets are written and never read back. */
export function Secrets(props: SectionProps) {
  return (
    <section class="card" id="secrets" aria-labelledby="secrets-title">
      <h2 id="secrets-title">{t.secrets}</h2>
      <p class="hint">{t.theyAreStoredEncrypted}</p>
      {(Object.keys(t.secretKinds) as SecretName[]).map((name) => (
        <Secret key={name} name={name} {...props} />
      ))}
    </section>
  );
}

function Secret({ name, ...props }: SectionProps & { name: SecretName }) {
  const { label, hint } = t.secretKinds[name];
  const isSet = props.project.secrets[name];
  const form = useProjectForm(props, { [name]: '' } as Record<SecretName, string>, (values) => ({
    secrets: { [name]: values[name] },
  }));
  const removal = useProjectForm(props, {}, () => ({ secrets: { [name]: null } }));
  const save = async () => {
    if (await form.run()) form.reset();
  };
  const field = {
    ...form.field(name),
    label,
    hint,
    required: true,
    placeholder: isSet ? t.isSet : t.notSet,
  };
  return (
    <form class="form secret" onSubmit={submit(save)}>
      {name === 'githubAppKey' || name === 'repositoryTokens' || name === 'signingKey' ? (
        <AreaField {...field} spellcheck={false} autocomplete="off" />
      ) : (
        <>
          <UserName name={name} />
          <TextField {...field} type="password" autocomplete="new-password" />
        </>
      )}
      <Failure failure={form.failure ?? removal.failure} />
      <div class="actions">
        {isSet && <RemoveSecret label={label} removal={removal} />}
        <button
          type="submit"
          disabled={form.isBusy}
          aria-label={fill(isSet ? t.replaceSecret : t.setSecret, { label })}
        >
          {isSet ? t.replace : t.set}
        </button>
      </div>
    </form>
  );
}

function RemoveSecret({ label, removal }: { label: string; removal: Action<[]> }) {
  return (
    <button
      type="button"
      onClick={() => removal.run()}
      disabled={removal.isBusy}
      aria-label={fill(t.removeSecret, { label })}
    >
      {t.remove}
    </button>
  );
}
