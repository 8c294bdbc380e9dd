import { useState } from 'preact/hooks';
import type { SecretName } from '../../shared/job-settings.ts';
import { AreaField, faultOf, submit, TextField } from '../components/field.tsx';
import { Failure } from '../components/notice.tsx';
import { type SectionProps, useSave } from './form.tsx';

const secrets: Record<SecretName, { label: string; hint: string }> = {
  forgeToken: {
    label: 'Token for the repository',
    hint: 'GitHub: a fine-grained token for this one repository that may read and write contents and pull requests.',
  },
  githubAppKey: { label: 'Private key of the GitHub App', hint: 'The whole .pem file.' },
};

/** Secrets are written and never read back. */
export function Secrets(props: SectionProps) {
  return (
    <section class="card" id="secrets" aria-labelledby="secrets-title">
      <h2 id="secrets-title">Secrets</h2>
      <p class="hint">Kept encrypted, and never shown again: what is set can be replaced or removed.</p>
      {(Object.keys(secrets) as SecretName[]).map((name) => (
        <Secret key={name} name={name} {...props} />
      ))}
    </section>
  );
}

function Secret({ name, ...props }: SectionProps & { name: SecretName }) {
  const { label, hint } = secrets[name];
  const isSet = props.project.secrets[name];
  const [text, setText] = useState('');
  const save = useSave(props);
  const put = async (value: string | null) => {
    if (await save.run({ secrets: { [name]: value } })) setText('');
  };
  const field = {
    label,
    name,
    value: text,
    onText: setText,
    required: true,
    fault: faultOf(save.failure, name),
  };
  const shown = { hint, placeholder: isSet ? '•••••••••••• is set' : 'not set' };
  return (
    <form class="form secret" onSubmit={submit(() => put(text))}>
      {name === 'githubAppKey' ? (
        <AreaField {...field} {...shown} spellcheck={false} autocomplete="off" />
      ) : (
        <TextField {...field} {...shown} type="password" autocomplete="new-password" />
      )}
      <Failure failure={save.failure} />
      <div class="actions">
        {isSet && (
          <button
            type="button"
            onClick={() => put(null)}
            disabled={save.isBusy}
            aria-label={`Remove: ${label}`}
          >
            Remove
          </button>
        )}
        <button type="submit" disabled={save.isBusy} aria-label={`${isSet ? 'Replace' : 'Set'}: ${label}`}>
          {isSet ? 'Replace' : 'Set'}
        </button>
      </div>
    </form>
  );
}
