import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { useApi } from '../api/context.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { TextField } from '../components/form/field.tsx';
import { useForm } from '../components/form/form.tsx';
import { mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';

interface RemovalProps {
  project: ProjectReply;
  onRemoved: (project: ProjectReply) => void;
}

/** Asks for the project's name before it is removed. */
export function Removal({ project, onRemoved }: RemovalProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card card-danger" id="removal" aria-labelledby="removal-title">
      <h2 id="removal-title">{t.removeTheProject}</h2>
      <p class="hint">{t.thisDeletesItsCountsKeys}</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.removeThisProject}
        </button>
      </div>
      {isAsking && (
        <ConfirmRemoval project={project} onRemoved={onRemoved} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}

function ConfirmRemoval({ project, onRemoved, onClose }: RemovalProps & { onClose: () => void }) {
  const { api } = useApi();
  const form = useForm({ name: '' }, async (values) => {
    await api.send('DELETE', `/v1/admin/projects/${project.id}`, values);
    onRemoved(project);
  });
  return (
    <Confirmation
      title={t.removeThisProjectQuestion}
      confirmLabel={t.removeProject}
      action={form}
      isDisabled={form.values.name.trim() !== project.name}
      onClose={onClose}
    >
      <p>{mix(t.thisCannotBeUndoneToConfirm, { name: <bdi class="strong">{project.name}</bdi> })}</p>
      <TextField label={t.nameOfTheProject} {...form.field('name')} required />
    </Confirmation>
  );
}
