import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { settingRules } from '../../shared/project/setting-rules.ts';
import type { Action } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { type FormState, submit, useForm } from '../components/form/form.tsx';
import { Failure } from '../components/notice.tsx';
import { useUnsaved } from '../router/unsaved.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/settings.ts';

/** What a section sends to `PATCH /v1/admin/projects/{projectId}`. */
export type Patch = Partial<Record<'settings' | 'secrets', object>>;

export interface SectionProps {
  project: ProjectReply;
  onProject: (project: ProjectReply) => void;
}

/** A form that changes the project. */
export function useProjectForm<Name extends string>(
  { project, onProject }: SectionProps,
  initial: Record<Name, string>,
  toPatch: (values: Record<Name, string>) => Patch,
): FormState<Name> {
  const { api } = useApi();
  const form = useForm(initial, async (values) => {
    const patch = toPatch(values);
    onProject(await api.send<ProjectReply>('PATCH', `/v1/admin/projects/${project.id}`, patch));
  });
  return { ...form, field: (name) => ({ ...form.field(name), note: noteFor(project, name) }) };
}

/** Said to whom the server would refuse it. */
export function noteFor({ role }: ProjectReply, name: string): string | undefined {
  const rule = Object.entries(settingRules).find(([setting]) => setting === name)?.[1];
  return role === 'editor' && rule?.changedBy === 'owner' ? t.onlyAnOwnerChangesThis : undefined;
}

interface SettingsFormProps {
  id: string;
  title: string;
  lead?: ComponentChildren;
  action: Action<[]>;
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
  const [isChanged, setChanged] = useState(false);
  useUnsaved(isChanged);
  const save = async () => {
    const isDone = await action.run();
    setSaved(isDone);
    if (isDone) setChanged(false);
  };
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="hint">{lead}</p>}
      <form class="form" onSubmit={submit(save)} onInput={() => setChanged(true)}>
        {children}
        <Failure failure={action.failure} />
        <div class="actions">
          <span class="saved" role="status">
            {isChanged ? t.unsavedChanges : isSaved && t.saved}
          </span>
          <button
            type="submit"
            class="primary"
            disabled={action.isBusy}
            aria-label={fill(t.saveSection, { title })}
          >
            {t.save}
          </button>
        </div>
      </form>
    </section>
  );
}
