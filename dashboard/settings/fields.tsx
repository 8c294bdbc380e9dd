import { useId } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { forgeLabels } from '../../shared/jobs/forge.ts';
import type { SettingName } from '../../shared/project/project.ts';
import { settingFields } from '../../shared/project/setting-fields.ts';
import type { SecretName } from '../../shared/secrets.ts';
import { AreaField, ChoiceField, type FieldProps, TextField } from '../components/form/field.tsx';
import { TimeZoneField } from '../components/form/time-zone-field.tsx';
import { joinLines, splitLines, splitWholeLines } from '../formats/lines.ts';
import { fill, mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';
import { SecretFields, secretsFor } from './secrets.tsx';

interface Words {
  label: string;
  hint?: string;
  placeholder?: string;
  /** Of the options, by their names. */
  options?: Readonly<Record<string, string>>;
}

/** Asks for the names of the hosts once some were seen. */
function hostsHint({ hosts, seenHosts }: ProjectReply): string {
  if (hosts.length > 0) return t.leaveItEmptyToCountAllHosts;
  if (seenHosts.length === 0) return t.ifItIsEmptyAllHosts;
  return fill(t.nameTheHostsOfYourSitePages, { hosts: seenHosts.join(', ') });
}

/** A setting that has a field here. */
export type FieldName = (keyof typeof t.fields & SettingName) | 'timeZone';

/** What the dashboard says of a setting. */
function wordsOf(name: FieldName, project: ProjectReply): Words {
  if (name === 'timeZone') return { label: '' };
  const words: Words = t.fields[name];
  if (name === 'hosts') return { ...words, hint: fill(t.fields.hosts.hint, { hint: hostsHint(project) }) };
  return name === 'forge' ? { ...words, options: { ...forgeLabels, ...words.options } } : words;
}

/** Of which a line may have spaces and commas in it. */
const ofWholeLines: readonly SettingName[] = [
  ...([
    'goals',
    'funnels',
    'sections',
    'renamedPaths',
    'modelLimits',
    'excludedUserAgents',
    'excludedQueries',
  ] as const),
];

function toText(value: unknown): string {
  return Array.isArray(value) ? joinLines(value) : String(value ?? '');
}

/** What is no number is sent as it is, for the server to say so. */
export function toSetting(name: FieldName, text: string): unknown {
  const { kind, isNullable } = settingFields[name];
  const trimmed = text.trim();
  if (kind === 'flag') return text === 'true';
  if (kind === 'set' || kind === 'lines')
    return ofWholeLines.includes(name) ? splitWholeLines(text) : splitLines(text);
  if (kind === 'number' && /^\d*\.?\d+$/.test(trimmed)) return Number(trimmed);
  return isNullable ? trimmed || null : text;
}

/** A form that changes these settings, and secrets that somebody typed. */
export function useSettingsForm<Name extends FieldName>(
  props: SectionProps,
  rows: readonly (readonly Name[])[],
  secrets: readonly SecretName[] = [],
): ReturnType<typeof useProjectForm<Name | SecretName>> {
  const names = rows.flat();
  const of = (read: (name: Name) => unknown) => Object.fromEntries(names.map((name) => [name, read(name)]));
  const texts = of((name) => toText(props.project[name])) as Record<Name, string>;
  const none = Object.fromEntries(secrets.map((name) => [name, ''])) as Record<SecretName, string>;
  const form = useProjectForm<Name | SecretName>(props, { ...texts, ...none }, (values) => {
    const given = secrets.filter((name) => values[name] !== '');
    return {
      settings: of((name) => toSetting(name, values[name])),
      ...(given.length > 0 && { secrets: Object.fromEntries(given.map((name) => [name, values[name]])) }),
    };
  });
  const run = async () => {
    const isSaved = await form.run();
    if (isSaved) for (const name of secrets) form.field(name).onText('');
    return isSaved;
  };
  return { ...form, run };
}

interface FieldsFormProps<Name extends FieldName> extends SectionProps {
  id: string;
  title: string;
  lead?: string;
  rows: readonly (readonly Name[])[];
}

/** A section with nothing but fields. */
export function FieldsForm<Name extends FieldName>({
  id,
  title,
  lead,
  rows,
  ...props
}: FieldsFormProps<Name>) {
  const form = useSettingsForm(props, rows);
  return (
    <SettingsForm id={id} title={title} lead={lead} action={form}>
      <Fields rows={rows} form={form} project={props.project} />
    </SettingsForm>
  );
}

interface FieldsProps<Name extends FieldName> {
  /** Those of one row stand beside each other. */
  rows: readonly (readonly Name[])[];
  form: { field(name: NoInfer<Name>): FieldProps };
  project: ProjectReply;
}

export function Fields<Name extends FieldName>({ rows, form, project }: FieldsProps<Name>) {
  return (
    <>
      {rows.map((row) => (
        <div key={row.join()} class="side-by-side">
          {row.map((name) => (
            <SettingField key={name} {...form.field(name)} name={name} project={project} />
          ))}
        </div>
      ))}
    </>
  );
}

type SettingProps = FieldProps & { name: FieldName; project: ProjectReply };

function SettingField({ project, ...field }: SettingProps) {
  const { kind, options = [], maxLength } = settingFields[field.name];
  const { options: names = {}, ...said }: Words = wordsOf(field.name, project);
  if (field.name === 'timeZone') return <TimeZoneField {...field} />;
  if (kind === 'flag') return <CheckField {...said} {...field} />;
  if (kind === 'set') return <SetField {...said} {...field} names={names} />;
  if (kind === 'lines') return <AreaField {...said} {...field} />;
  if (kind === 'choice') {
    const shown = Object.fromEntries(options.map((option) => [option, names[option] ?? option]));
    return <ChoiceField {...said} {...field} options={shown} />;
  }
  const inputMode = kind === 'number' ? 'decimal' : undefined;
  return <TextField {...said} {...field} {...{ inputMode, maxLength }} required={field.name === 'name'} />;
}

function CheckField({ label, note, value, onText }: FieldProps & { label: string }) {
  const id = useId();
  return (
    <div class="field field-check">
      <label>
        <input
          type="checkbox"
          checked={value === 'true'}
          aria-describedby={note && id}
          onChange={({ currentTarget }) => onText(String(currentTarget.checked))}
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

/** In the order in which they are declared, whatever was pressed first. */
export function SetField({
  label,
  names,
  value,
  onText,
}: FieldProps & Required<Pick<Words, 'label'>> & { names: object }) {
  const chosen = splitLines(value);
  const toggle = (option: string) =>
    onText(joinLines(Object.keys(names).filter((one) => (one === option) !== chosen.includes(one))));
  return (
    <fieldset>
      <legend>{label}</legend>
      {Object.entries(names).map(([option, text]) => (
        <div key={option} class="field field-check">
          <label>
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />
            {text}
          </label>
        </div>
      ))}
    </fieldset>
  );
}

/** What jobs work on, what they do at the code host, and what agents read and change. */
const work = [
  ['repository'],
  ['model', 'ref'],
  ['forge', 'forgeUrl'],
  ['branchPrefix', 'commitFormat'],
  ['signOff', 'draft'],
  ['closeIssues', 'mendChecks'],
  ['reportEffects'],
  ['comments', 'mention'],
  ['reviewers', 'docsFolder'],
  ['agentPaths'],
  ['agentHosts'],
  ['agentRepositories'],
] as const;
const limits = [
  ['turnSteps', 'turnTokens'],
  ['turnMinutes', 'turnCost'],
  ['monthlyBudget', 'fallbackModel'],
  ['modelLimits'],
] as const;
const app = [['githubAppId', 'githubInstallationId']] as const;
const jobSecrets = [
  'forgeToken',
  'githubAppKey',
  'repositoryTokens',
  'forgeWebhookSecret',
  'signingKey',
] as const;

/** The repository, the code host and the model. */
export function JobSettings(props: SectionProps) {
  const { project } = props;
  const secrets = secretsFor(project, jobSecrets);
  const form = useSettingsForm(props, [...work, ...limits, ...app], secrets);
  return (
    <SettingsForm id="jobs" title={t.jobs} action={form} lead={t.theRepositoryThatJobsWork}>
      <Fields rows={work} form={form} project={project} />
      <details>
        <summary>{t.limitsAndCosts}</summary>
        <p class="hint">{t.costsAreKnownForTheUsual}</p>
        <Fields rows={limits} form={form} project={project} />
      </details>
      <details>
        <summary>{t.useAGithubAppInsteadOfAToken}</summary>
        <Fields rows={app} form={form} project={project} />
      </details>
      <SecretFields names={secrets} form={form} {...props} />
      {project.agentCommand !== null && (
        <p class="hint">
          {mix(t.anExternalAgentWorksInstead, {
            command: <bdi class="mono">{project.agentCommand.join(' ')}</bdi>,
          })}
        </p>
      )}
    </SettingsForm>
  );
}
