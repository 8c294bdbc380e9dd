import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { type Action, useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { submit } from '../components/field.tsx';
import { Failure } from '../components/notice.tsx';

/** What a section sends to `PATCH /v1/admin/projects/{projectId}`. */
export type Patch = Partial<Record<'settings' | 'secrets', object>>;

export interface SectionProps {
  project: ProjectReply;
  onProject: (project: ProjectReply) => void;
}

export function useSave({ project, onProject }: SectionProps): Action<[Patch]> {
  const { api } = useApi();
  return useAction(async (patch: Patch) => {
    onProject(await api.send<ProjectReply>('PATCH', `/v1/admin/projects/${project.id}`, patch));
  });
}

interface SettingsFormProps {
  id: string;
  title: string;
  lead?: ComponentChildren;
  save: Action<[Patch]>;
  patch: () => Patch;
  children: ComponentChildren;
}

/** A section of the settings that is saved by itself. */
export function SettingsForm({ id, title, lead, save, patch, children }: SettingsFormProps) {
  const [isSaved, setSaved] = useState(false);
  useEffect(() => {
    if (!isSaved) return;
    const timer = setTimeout(() => setSaved(false), 4000);
    return () => clearTimeout(timer);
  }, [isSaved]);
  const send = async () => setSaved(await save.run(patch()));
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="hint">{lead}</p>}
      <form class="form" onSubmit={submit(send)}>
        {children}
        <Failure failure={save.failure} />
        <div class="actions">
          <span class="saved" role="status">
            {isSaved && 'Saved'}
          </span>
          <button type="submit" class="primary" disabled={save.isBusy} aria-label={`Save: ${title}`}>
            Save
          </button>
        </div>
      </form>
    </section>
  );
}
