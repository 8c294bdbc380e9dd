import { useId, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { forgeLabels } from '../../shared/jobs/forge.ts';
import { AreaField, ChoiceField, TextField } from '../components/form/field.tsx';
import type { FormState } from '../components/form/form.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { noteFor, type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const exampleOfLimits = 'compatible/qwen context=32768 output=8192';

const toTexts = (project: ProjectReply) => ({
  repository: project.repository ?? '',
  ref: project.ref,
  forge: project.forge as string,
  forgeUrl: project.forgeUrl ?? '',
  model: project.model ?? '',
  branchPrefix: project.branchPrefix,
  commitFormat: project.commitFormat ?? '',
  modelLimits: joinLines(project.modelLimits),
  docsFolder: project.docsFolder,
  comments: project.comments as string,
  mention: project.mention,
  reviewers: project.reviewers as string,
  agentPaths: joinLines(project.agentPaths),
  agentHosts: joinLines(project.agentHosts),
  agentRepositories: joinLines(project.agentRepositories),
  githubAppId: project.githubAppId ?? '',
  githubInstallationId: String(project.githubInstallationId ?? ''),
  fallbackModel: project.fallbackModel ?? '',
  ...mapLimits((name) => String(project[name] ?? '')),
});

/** With what holds where nothing is set; null: no limit. */
const limits = {
  turnSteps: '60',
  turnTokens: '2000000',
  turnMinutes: '30',
  turnCost: null,
  monthlyBudget: null,
} as const;

type Limit = keyof typeof limits;

const limitNames = Object.keys(limits) as Limit[];

function mapLimits<T>(read: (name: Limit) => T): Record<Limit, T> {
  return Object.fromEntries(limitNames.map((name) => [name, read(name)])) as Record<Limit, T>;
}

type Texts = ReturnType<typeof toTexts>;

const orNull = (text: string): string | null => text.trim() || null;

const toSettings = ({
  githubInstallationId,
  agentPaths,
  agentHosts,
  agentRepositories,
  modelLimits,
  ...texts
}: Texts) => ({
  ...texts,
  agentPaths: splitLines(agentPaths),
  agentHosts: splitLines(agentHosts),
  agentRepositories: splitLines(agentRepositories),
  modelLimits: splitLines(modelLimits),
  commitFormat: texts.commitFormat || null,
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
  const [signOff, setSignOff] = useState(project.signOff);
  const [closeIssues, setCloseIssues] = useState(project.closeIssues);
  const [mendChecks, setMendChecks] = useState(project.mendChecks);
  const [tellEffects, setTellEffects] = useState(project.tellEffects);
  const form = useProjectForm(props, toTexts(project), (texts) => ({
    settings: { ...toSettings(texts), draft, signOff, closeIssues, mendChecks, tellEffects },
  }));
  return (
    <SettingsForm id="jobs" title={t.jobs} action={form} lead={t.theRepositoryThatJobsWork}>
      <RepositoryFields form={form} />
      <CodeHostFields form={form} />
      <div class="side-by-side">
        <TextField
          label={t.branchPrefix}
          {...form.field('branchPrefix')}
          hint={t.theNamesOfNewBranchesBegin}
        />
        <TextField
          label={t.commitFormat}
          {...form.field('commitFormat')}
          placeholder={t.anyTitle}
          hint={t.conventionalOrAPattern}
        />
        <div class="field">
          <CheckField
            label={t.signOffCommits}
            note={noteFor(project, 'signOff')}
            checked={signOff}
            onChange={setSignOff}
          />
          <CheckField label={t.openPullRequestsAsDrafts} checked={draft} onChange={setDraft} />
          <CheckField label={t.fixes42MayCloseIssues} checked={closeIssues} onChange={setCloseIssues} />
          <CheckField label={t.mendFailedChecks} checked={mendChecks} onChange={setMendChecks} />
          <CheckField
            label={t.tellEffects}
            note={noteFor(project, 'tellEffects')}
            checked={tellEffects}
            onChange={setTellEffects}
          />
        </div>
      </div>
      <ConversationFields form={form} />
      <ReachFields form={form} />
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
        label={t.repository}
        {...form.field('repository')}
        placeholder="https://github.com/owner/name"
        hint={t.itsAddressWithoutAUserName}
      />
      <div class="side-by-side">
        <TextField
          label={t.model}
          {...form.field('model')}
          placeholder="anthropic/claude-opus-4-5"
          hint={t.anthropicOpenaiGoogleOr}
        />
        <TextField
          label={t.startFrom}
          {...form.field('ref')}
          placeholder={t.theDefaultBranch}
          hint={t.aBranchATagOrACommit}
        />
      </div>
    </>
  );
}

function CodeHostFields({ form }: FieldsProps) {
  return (
    <div class="side-by-side">
      <ChoiceField
        label={t.codeHost}
        {...form.field('forge')}
        options={{ auto: t.detectAutomatically, ...forgeLabels, none: t.onlyPushBranches }}
      />
      <TextField
        label={t.apiAddress}
        {...form.field('forgeUrl')}
        placeholder={t.theHostsUsualAddress}
        hint={t.onlyForACodeHostOfYourOwn}
      />
    </div>
  );
}

/** What is said at pull requests, who is asked for a review, and where the documentation is. */
function ConversationFields({ form }: FieldsProps) {
  return (
    <>
      <div class="side-by-side">
        <ChoiceField
          label={t.commentsBecomeMessages}
          {...form.field('comments')}
          options={t.whoseComments}
          hint={t.atPullRequestsOfJobs}
        />
        <TextField label={t.mention} {...form.field('mention')} hint={t.whatSuchACommentBeginsWith} />
      </div>
      <div class="side-by-side">
        <ChoiceField
          label={t.askForAReview}
          {...form.field('reviewers')}
          options={t.whoReviews}
          hint={t.twoPeopleAtMost}
        />
        <TextField
          label={t.docsFolder}
          {...form.field('docsFolder')}
          placeholder={t.foundByItself}
          hint={t.whereTheDocumentationIsIn}
        />
      </div>
    </>
  );
}

/** What agents may read and change. */
function ReachFields({ form }: FieldsProps) {
  return (
    <>
      <AreaField
        label={t.filesThatAgentsMayChange}
        {...form.field('agentPaths')}
        placeholder="data/*.yml"
        hint={t.oneGlobPerLineBesidesPages}
      />
      <AreaField
        label={t.hostsThatAgentsMayRead}
        {...form.field('agentHosts')}
        placeholder="docs.example.com"
        hint={t.oneNamePerLineAgentsRead}
      />
      <AreaField
        label={t.otherRepositoriesToRead}
        {...form.field('agentRepositories')}
        placeholder="https://github.com/owner/product"
        hint={t.oneAddressPerLineReadOnly}
      />
    </>
  );
}

interface CheckFieldProps {
  label: string;
  /** Who may change it, where that is not everybody who sees it. */
  note?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function CheckField({ label, note, checked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="field field-check">
      <label>
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={note && id}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      {note && (
        <p id={id} class="hint">
          {note}
        </p>
      )}
    </div>
  );
}

function LimitFields({ form }: FieldsProps) {
  return (
    <details>
      <summary>{t.limitsAndCosts}</summary>
      <p class="hint">{t.costsAreKnownForTheUsual}</p>
      <div class="side-by-side">
        {limitNames.map((name) => (
          <TextField
            key={name}
            label={t.limits[name]}
            {...form.field(name)}
            inputMode="decimal"
            placeholder={limits[name] ?? t.noLimit}
          />
        ))}
        <TextField label={t.modelWhereThatOneIs} {...form.field('fallbackModel')} placeholder={t.none} />
      </div>
      <AreaField
        label={t.modelLimits}
        {...form.field('modelLimits')}
        placeholder={exampleOfLimits}
        hint={t.oneModelPerLine}
      />
    </details>
  );
}

function GithubAppFields({ form }: FieldsProps) {
  return (
    <details>
      <summary>{t.useAGithubAppInsteadOfAToken}</summary>
      <div class="side-by-side">
        <TextField
          label={t.appIdOrClientId}
          {...form.field('githubAppId')}
          hint={t.setTheAppsPrivateKeyUnder}
        />
        <TextField
          label={t.installationId}
          {...form.field('githubInstallationId')}
          inputMode="numeric"
          pattern="[0-9]*"
          placeholder={t.foundByTheRepository}
        />
      </div>
    </details>
  );
}

function AgentCommand({ command }: { command: string[] }) {
  return (
    <p class="hint">
      {mix(t.anExternalAgentWorksInstead, { command: <bdi class="mono">{command.join(' ')}</bdi> })}
    </p>
  );
}
