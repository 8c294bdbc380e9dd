import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { settingFields } from '../../shared/project/setting-fields.ts';
import type { Action } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { Form, type FormState, useForm } from '../components/form/form.tsx';
import { fill } from '../texts/part.ts';
import { t } from '../texts/settings.ts';

/** What a section sends to `PATCH /v1/admin/projects/{projectId}`. */
export type Patch = Partial<Record<'settings' | 'secrets', object>>;

export interface SectionProps {
  project: ProjectReply;
  onProject: (project: ProjectReply) => void;
}

interface ProjectForm<Name extends string> extends FormState<Name> {
  /** What was accepted and is probably not meant. */
  warnings: readonly string[];
}

/** A form that changes the project. */
export function useProjectForm<Name extends string>(
  { project, onProject }: SectionProps,
  initial: Record<Name, string>,
  toPatch: (values: Record<Name, string>) => Patch,
): ProjectForm<Name> {
  const [warnings, warn] = useState<readonly string[]>([]);
  const { api } = useApi();
  const form = useForm(initial, async (values) => {
    const patch = toPatch(values);
    const changed = await api.send<ProjectReply>('PATCH', `/v1/admin/projects/${project.id}`, patch);
    warn(changed.warnings ?? []);
    onProject(changed);
  });
  return { ...form, warnings, field: (name) => ({ ...form.field(name), note: noteFor(project, name) }) };
}

/** Said to whom the server would refuse it. */
export function noteFor({ role }: ProjectReply, name: string): string | undefined {
  const isForOwners = Object.entries(settingFields).some(([key, field]) => key === name && field.isForOwners);
  return role === 'editor' && isForOwners ? t.onlyAnOwnerChangesThis : undefined;
}

interface SettingsFormProps {
  id: string;
  title: string;
  lead?: ComponentChildren;
  action: Action<[]> & { warnings?: readonly string[] };
  children: ComponentChildren;
}

/** A section of the settings that is saved by itself. */
export function SettingsForm({ id, title, lead, action, children }: SettingsFormProps) {
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    if (!isSaved) return;
    const timer = setTimeout(() => setSaved(false), 4000);
    return () => clearTimeout(timer);
  }, [isSaved]);
  const save = async () => {
    const isDone = await action.run();
    setSaved(isDone);
    return isDone;
  };
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="hint">{lead}</p>}
      <Form
        action={{ ...action, run: save }}
        submitLabel={t.save}
        label={fill(t.saveSection, { title })}
        isKept
        status={(isChanged) => (isChanged ? t.unsavedChanges : isSaved && t.saved)}
      >
        {children}
        {action.warnings?.map((warning) => (
          <p key={warning} class="hint" role="status">
            {warning}
          </p>
        ))}
      </Form>
    </section>
  );
}
