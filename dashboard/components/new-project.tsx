import type { ProjectReply } from '../../shared/admin.ts';
import { useApi } from '../api/context.ts';
import { splitLines } from '../formats/lines.ts';
import { TextField } from './field.tsx';
import { Form, useForm } from './form.tsx';
import { TimeZoneField } from './time-zone-field.tsx';

/** What a project needs at first; the rest is in its settings. */
export function NewProject({ onProject }: { onProject: (project: ProjectReply) => void }) {
  const { api } = useApi();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const form = useForm({ name: '', hosts: '', timeZone }, async (values) => {
    const body = { ...values, hosts: splitLines(values.hosts) };
    onProject(await api.send<ProjectReply>('POST', '/v1/admin/projects', body));
  });
  return (
    <Form action={form} submitLabel="Create project">
      <TextField label="Name" {...form.field('name')} required maxLength={100} />
      <TextField
        label="Host name of the site"
        {...form.field('hosts')}
        placeholder="www.example.com"
        hint="Views on other hosts are not counted. Leave it empty to count all hosts."
      />
      <TimeZoneField {...form.field('timeZone')} />
    </Form>
  );
}
