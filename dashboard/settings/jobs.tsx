import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { forgeLabels } from '../../shared/forge.ts';
import { AreaField, ChoiceField, TextField } from '../components/field.tsx';
import type { FormState } from '../components/form.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const forges = {
  auto: 'Detect automatically',
  ...forgeLabels,
  none: 'None: only push branches',
};

const toTexts = (project: ProjectReply) => ({
  repository: project.repository ?? '',
  ref: project.ref,
  forge: project.forge as string,
  forgeUrl: project.forgeUrl ?? '',
  model: project.model ?? '',
  branchPrefix: project.branchPrefix,
  docsFolder: project.docsFolder,
  agentPaths: joinLines(project.agentPaths),
  githubAppId: project.githubAppId ?? '',
  githubInstallationId: String(project.githubInstallationId ?? ''),
  fallbackModel: project.fallbackModel ?? '',
  ...mapLimits((name) => String(project[name] ?? '')),
});

const limits = {
  turnSteps: { label: 'Answers of the model in a turn', placeholder: '60' },
  turnTokens: { label: 'Tokens in a turn', placeholder: '2000000' },
  turnMinutes: { label: 'Minutes of a turn', placeholder: '30' },
  turnCost: { label: 'Dollars of a turn', placeholder: 'no limit' },
  monthlyBudget: { label: 'Dollars in a month', placeholder: 'no limit' },
} as const;

type Limit = keyof typeof limits;

function mapLimits<T>(read: (name: Limit) => T): Record<Limit, T> {
  const names = Object.keys(limits) as Limit[];
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Limit, T>;
}

type Texts = ReturnType<typeof toTexts>;

const orNull = (text: string): string | null => text.trim() || null;

const toSettings = ({ githubInstallationId, agentPaths, ...texts }: Texts) => ({
  ...texts,
  agentPaths: splitLines(agentPaths),
  repository: orNull(texts.repository),
  forgeUrl: orNull(texts.forgeUrl),
  model: orNull(texts.model),
  githubAppId: orNull(texts.githubAppId),
  githubInstallationId: orNull(githubInstallationId) && Number(githubInstallationId),
  fallbackModel: orNull(texts.fallbackModel),
  ...mapLimits((name) => orNull(texts[name]) && Number(texts[name])),
});

/** The repository, the code host and the model. */
export function JobSettings(props: SectionProps) {
  const { project } = props;
  const [draft, setDraft] = useState(project.draft);
  const [closeIssues, setCloseIssues] = useState(project.closeIssues);
  const form = useProjectForm(props, toTexts(project), (texts) => ({
    settings: { ...toSettings(texts), draft, closeIssues },
  }));
  return (
    <SettingsForm
      id="jobs"
      title="Jobs"
      action={form}
      lead="The repository that jobs work in, and the model."
    >
      <RepositoryFields form={form} />
      <CodeHostFields form={form} />
      <div class="side-by-side">
        <TextField
          label="Branch prefix"
          {...form.field('branchPrefix')}
          hint="The names of new branches begin with it."
        />
        <div class="field">
          <CheckField label="Open pull requests as drafts" checked={draft} onChange={setDraft} />
          <CheckField label="“Fixes #42” may close issues" checked={closeIssues} onChange={setCloseIssues} />
        </div>
      </div>
      <TextField
        label="Docs folder"
        {...form.field('docsFolder')}
        placeholder="found by itself"
        hint="Where the documentation is in the repository, such as website/docs."
      />
      <AreaField
        label="Files that agents may change"
        {...form.field('agentPaths')}
        placeholder="data/*.yml"
        hint="One glob per line, besides pages, images and navigation. What builds run can be run before anybody has read it. !api/** keeps files from agents."
      />
      <LimitFields form={form} />
      <GithubAppFields form={form} />
      {project.agentCommand !== null && <AgentCommand command={project.agentCommand} />}
    </SettingsForm>
  );
}

interface FieldsProps {
  form: FormState<keyof Texts>;
}

function RepositoryFields({ form }: FieldsProps) {
  return (
    <>
      <TextField
        label="Repository"
        {...form.field('repository')}
        placeholder="https://github.com/owner/name"
        hint="Its address, without a user name or token. Changing the host removes the secrets below."
      />
      <div class="side-by-side">
        <TextField
          label="Model"
          {...form.field('model')}
          placeholder="anthropic/claude-opus-4-5"
          hint="anthropic/…, openai/…, google/… or compatible/…. The API key is set in the server’s environment."
        />
        <TextField
          label="Start from"
          {...form.field('ref')}
          placeholder="the default branch"
          hint="A branch, a tag or a commit."
        />
      </div>
    </>
  );
}

function CodeHostFields({ form }: FieldsProps) {
  return (
    <div class="side-by-side">
      <ChoiceField label="Code host" {...form.field('forge')} options={forges} />
      <TextField
        label="API address"
        {...form.field('forgeUrl')}
        placeholder="the host’s usual address"
        hint="Only for a code host of your own, such as https://git.example.com/api/v1."
      />
    </div>
  );
}

interface CheckFieldProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function CheckField({ label, checked, onChange }: CheckFieldProps) {
  return (
    <div class="field field-check">
      <label>
        <input
          type="checkbox"
          checked={checked}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
    </div>
  );
}

function LimitFields({ form }: FieldsProps) {
  return (
    <details>
      <summary>Limits and costs</summary>
      <p class="hint">
        Costs are known for the usual models of Anthropic, Google and OpenAI. Once a month’s budget is spent,
        no job is taken.
      </p>
      <div class="side-by-side">
        {Object.entries(limits).map(([name, { label, placeholder }]) => (
          <TextField
            key={name}
            label={label}
            {...form.field(name as Limit)}
            inputMode="decimal"
            placeholder={placeholder}
          />
        ))}
        <TextField
          label="Model where that one is overloaded"
          {...form.field('fallbackModel')}
          placeholder="none"
        />
      </div>
    </details>
  );
}

function GithubAppFields({ form }: FieldsProps) {
  return (
    <details>
      <summary>Use a GitHub App instead of a token</summary>
      <div class="side-by-side">
        <TextField
          label="App ID or client ID"
          {...form.field('githubAppId')}
          hint="Set the app’s private key under Secrets."
        />
        <TextField
          label="Installation ID"
          {...form.field('githubInstallationId')}
          inputMode="numeric"
          pattern="[0-9]*"
          placeholder="found by the repository"
        />
      </div>
    </details>
  );
}

function AgentCommand({ command }: { command: string[] }) {
  return (
    <p class="hint">
      An external agent works instead of the model: <bdi class="mono">{command.join(' ')}</bdi>. As it runs a
      program on the server, it can only be changed on the server’s command line.
    </p>
  );
}
