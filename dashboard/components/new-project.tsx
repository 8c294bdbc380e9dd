import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { splitLines } from '../formats/lines.ts';
import { faultOf, submit, TextField } from './field.tsx';
import { Failure } from './notice.tsx';
import { TimeZoneField } from './time-zone.tsx';

/** What a project needs at first; the rest is in its settings. */
export function NewProject({ onProject }: { onProject: (project: ProjectReply) => void }) {
  const { api } = useApi();
  const [name, setName] = useState('');
  const [hosts, setHosts] = useState('');
  const [timeZone, setTimeZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const add = useAction(async () => {
    const body = { name, hosts: splitLines(hosts), timeZone };
    onProject(await api.send<ProjectReply>('POST', '/v1/admin/projects', body));
  });
  return (
    <form class="form" onSubmit={submit(() => add.run())}>
      <TextField
        label="Name"
        name="name"
        value={name}
        onText={setName}
        required
        maxLength={100}
        fault={faultOf(add.failure, 'name')}
      />
      <TextField
        label="Host of the site"
        name="hosts"
        value={hosts}
        onText={setHosts}
        placeholder="www.example.com"
        hint="Hits from pages elsewhere are not counted. Empty: any host."
        fault={faultOf(add.failure, 'hosts')}
      />
      <TimeZoneField value={timeZone} onText={setTimeZone} fault={faultOf(add.failure, 'timeZone')} />
      <Failure failure={add.failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={add.isBusy}>
          Make the project
        </button>
      </div>
    </form>
  );
}
