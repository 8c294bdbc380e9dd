import type { SecretName } from '../../shared/secrets.ts';
import type { Action } from '../api/action.ts';
import { AreaField, TextField } from '../components/field.tsx';
import { submit } from '../components/form.tsx';
import { Failure } from '../components/notice.tsx';
import { type SectionProps, useProjectForm } from './form.tsx';

const secrets: Record<SecretName, { label: string; hint: string }> = {
  forgeToken: {
    label: 'Token for the repository',
    hint: 'On GitHub, a fine-grained token for this repository alone, with read and write access to contents and pull requests.',
  },
  githubAppKey: {
    label: 'Private key of the GitHub App',
    hint: 'The whole .pem file.',
  },
  webhookUrl: {
    label: 'Address of the webhook',
    hint: 'Where reports and alerts are sent, such as that of an incoming webhook of Slack.',
  },
  webhookSecret: {
    label: 'Secret of the webhook',
    hint: 'What it is signed with: whsec_ and 32 random bytes in base64, such as “openssl rand -base64 32” prints. Slack needs none.',
  },
};

/** Secrets are written and never read back. */
export function Secrets(props: SectionProps) {
  return (
    <section class="card" id="secrets" aria-labelledby="secrets-title">
      <h2 id="secrets-title">Secrets</h2>
      <p class="hint">They are stored encrypted and never shown again. You can replace or remove them.</p>
      {(Object.keys(secrets) as SecretName[]).map((name) => (
        <Secret key={name} name={name} {...props} />
      ))}
    </section>
  );
}

function Secret({ name, ...props }: SectionProps & { name: SecretName }) {
  const { label, hint } = secrets[name];
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
    placeholder: isSet ? '•••••••••••• is set' : 'not set',
  };
  return (
    <form class="form secret" onSubmit={submit(save)}>
      {name === 'githubAppKey' ? (
        <AreaField {...field} spellcheck={false} autocomplete="off" />
      ) : (
        <TextField {...field} type="password" autocomplete="new-password" />
      )}
      <Failure failure={form.failure ?? removal.failure} />
      <div class="actions">
        {isSet && <RemoveSecret label={label} removal={removal} />}
        <button type="submit" disabled={form.isBusy} aria-label={`${isSet ? 'Replace' : 'Set'}: ${label}`}>
          {isSet ? 'Replace' : 'Set'}
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
      aria-label={`Remove: ${label}`}
    >
      Remove
    </button>
  );
}
