import { useState } from 'preact/hooks';
import { forgeLabels } from '../../shared/forge.ts';
import { ChoiceField, faultOf, TextField } from '../components/field.tsx';
import { type SectionProps, SettingsForm, useSave } from './form.tsx';

const forges = {
  auto: 'Find out by asking the host',
  ...forgeLabels,
  none: 'None: only push branches',
};

const orNull = (text: string): string | null => text.trim() || null;

/** The repository, the code host and the model. */
export function JobSettings(props: SectionProps) {
  const { project } = props;
  const save = useSave(props);
  const [texts, setTexts] = useState({
    repository: project.repository ?? '',
    ref: project.ref,
    forge: project.forge as string,
    forgeUrl: project.forgeUrl ?? '',
    model: project.model ?? '',
    branchPrefix: project.branchPrefix,
    githubAppId: project.githubAppId ?? '',
    githubInstallationId: String(project.githubInstallationId ?? ''),
  });
  const [draft, setDraft] = useState(project.draft);
  const field = (name: keyof typeof texts) => ({
    name,
    value: texts[name],
    onText: (text: string) => setTexts((before) => ({ ...before, [name]: text })),
    fault: faultOf(save.failure, name),
  });
  const patch = () => {
    const { repository, forgeUrl, model, githubAppId, githubInstallationId, ...rest } = texts;
    return {
      settings: {
        ...rest,
        draft,
        repository: orNull(repository),
        forgeUrl: orNull(forgeUrl),
        model: orNull(model),
        githubAppId: orNull(githubAppId),
        githubInstallationId: orNull(githubInstallationId) && Number(githubInstallationId),
      },
    };
  };
  return (
    <SettingsForm
      id="jobs"
      title="Jobs"
      save={save}
      patch={patch}
      lead="Where an agent works, and which model it is."
    >
      <TextField
        label="Repository"
        {...field('repository')}
        placeholder="https://github.com/owner/name"
        hint="Without a user name or token in it. Another host drops the secrets below."
      />
      <div class="side-by-side">
        <TextField
          label="Model"
          {...field('model')}
          placeholder="anthropic/claude-opus-4-5"
          hint="anthropic/…, openai/…, google/… or compatible/…; its key is in the server’s environment."
        />
        <TextField
          label="Begins at"
          {...field('ref')}
          placeholder="the default branch"
          hint="A branch, a tag or a commit."
        />
      </div>
      <div class="side-by-side">
        <ChoiceField label="Code host" {...field('forge')} options={forges} />
        <TextField
          label="Address of its API"
          {...field('forgeUrl')}
          placeholder="where it usually is"
          hint="For hosts of your own, such as https://git.example.com/api/v1."
        />
      </div>
      <div class="side-by-side">
        <TextField label="Names of branches begin with" {...field('branchPrefix')} />
        <div class="field field-check">
          <label>
            <input
              type="checkbox"
              checked={draft}
              onChange={({ currentTarget }) => setDraft(currentTarget.checked)}
            />
            Open pull requests as drafts
          </label>
        </div>
      </div>
      <details>
        <summary>A GitHub App in place of a token</summary>
        <div class="side-by-side">
          <TextField
            label="App ID or client ID"
            {...field('githubAppId')}
            hint="Its private key is a secret, below."
          />
          <TextField
            label="Installation ID"
            {...field('githubInstallationId')}
            inputMode="numeric"
            pattern="[0-9]*"
            placeholder="looked up by the repository"
          />
        </div>
      </details>
      {project.agentCommand !== null && (
        <p class="hint">
          An outside agent works in place of the model:{' '}
          <bdi class="mono">{project.agentCommand.join(' ')}</bdi>. It names a program, so that it is set at
          the server’s command line only.
        </p>
      )}
    </SettingsForm>
  );
}
