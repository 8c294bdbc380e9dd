import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { useApi } from '../api/resource.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { TimeZoneField } from '../components/form/time-zone-field.tsx';
import { splitLines } from '../formats/lines.ts';
import { useRouter } from '../router/router.tsx';
import { t as frame } from '../texts/frame.ts';
import { t } from '../texts/sign-in.ts';

/** What a project needs at first; the rest is in its settings. */
export function NewProject({ onProject }: { onProject: (project: ProjectReply) => void }) {
  const { api } = useApi();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const form = useForm({ name: '', hosts: '', timeZone }, async (values) => {
    const body = { ...values, hosts: splitLines(values.hosts) };
    onProject(await api.send<ProjectReply>('POST', '/v1/admin/projects', body));
  });
  return (
    <Form action={form} submitLabel={t.createProject} isKept>
      <TextField label={frame.name} {...form.field('name')} required maxLength={100} />
      <TextField
        label={t.hostNameOfTheSite}
        {...form.field('hosts')}
        placeholder="www.example.com"
        hint={t.viewsOnOtherHosts}
      />
      <TimeZoneField {...form.field('timeZone')} />
    </Form>
  );
}

interface AddProjectProps {
  onProject: (project: ProjectReply) => void;
  onClose: () => void;
}

/** Makes one beside those that are there, and leads to how it is installed. */
export function AddProject({ onProject, onClose }: AddProjectProps) {
  const { navigate } = useRouter();
  const open = (added: ProjectReply) => {
    onClose();
    onProject(added);
    navigate(`/p/${added.id}/install`);
  };
  return (
    <Dialog title={frame.newProject} onClose={onClose}>
      <NewProject onProject={open} />
    </Dialog>
  );
}
