import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { Dialog } from '../components/dialog.tsx';
import { faultOf, submit, TextField } from '../components/field.tsx';
import { Failure } from '../components/notice.tsx';

interface RemovalProps {
  project: ProjectReply;
  onRemoved: (project: ProjectReply) => void;
}

/** Asks for the project's name before it is gone. */
export function Removal({ project, onRemoved }: RemovalProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card card-danger" id="removal" aria-labelledby="removal-title">
      <h2 id="removal-title">Remove the project</h2>
      <p class="hint">Its counts, keys, links and jobs are gone for good. Pull requests stay.</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          Remove this project…
        </button>
      </div>
      {isAsking && <Confirmation project={project} onRemoved={onRemoved} onClose={() => setAsking(false)} />}
    </section>
  );
}

function Confirmation({ project, onRemoved, onClose }: RemovalProps & { onClose: () => void }) {
  const { api } = useApi();
  const [name, setName] = useState('');
  const remove = useAction(async () => {
    await api.send('DELETE', `/v1/admin/projects/${project.id}`, { name });
    onRemoved(project);
  });
  return (
    <Dialog title="Remove this project?" onClose={onClose}>
      <form class="form" onSubmit={submit(() => remove.run())}>
        <p>
          This cannot be undone. To go on, type its name, <bdi class="strong">{project.name}</bdi>.
        </p>
        <TextField
          label="Name of the project"
          name="name"
          value={name}
          onText={setName}
          required
          fault={faultOf(remove.failure, 'name')}
        />
        <Failure failure={remove.failure} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" class="danger" disabled={remove.isBusy || name.trim() !== project.name}>
            Remove it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
