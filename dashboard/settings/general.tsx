import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { useApi } from '../api/resource.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { TextField } from '../components/form/field.tsx';
import { submit, useForm } from '../components/form/form.tsx';
import { Failure } from '../components/notice.tsx';
import { mix } from '../texts/part.ts';
import { t } from '../texts/settings.ts';
import { Fields, toSetting, useSettingsForm } from './fields.tsx';
import { type SectionProps, SettingsForm } from './form.tsx';

interface RemovalProps {
  project: ProjectReply;
  onRemoved: (project: ProjectReply) => void;
}

/** Removes the project once its name is typed. */
export function Removal({ project, onRemoved }: RemovalProps) {
  const { api } = useApi();
  const form = useForm({ name: '' }, async (values) => {
    await api.send('DELETE', `/v1/admin/projects/${project.id}`, values);
    onRemoved(project);
  });
  return (
    <section class="card card-danger" id="removal" aria-labelledby="removal-title">
      <h2 id="removal-title">{t.removeTheProject}</h2>
      <p class="hint">{t.thisDeletesItsCountsKeys}</p>
      <p>{mix(t.thisCannotBeUndoneToConfirm, { name: <bdi class="strong">{project.name}</bdi> })}</p>
      <form class="form" onSubmit={submit(form.run)}>
        <TextField label={t.nameOfTheProject} {...form.field('name')} required />
        <Failure failure={form.failure} />
        <div class="actions">
          <button
            type="submit"
            class="danger"
            disabled={form.isBusy || form.values.name.trim() !== project.name}
          >
            {t.removeProject}
          </button>
        </div>
      </form>
    </section>
  );
}

const terms = ['keepDetailsMonths', 'keepCountsMonths', 'keepHoursDays'] as const;
const rows = [terms, ['minimumGroup']] as const;
type Term = (typeof terms)[number];

/** Whether something goes that was to stay until now. */
function isShorter(term: Term, text: string, before: number | null): boolean {
  const length = toSetting(term, text) as number | string | null;
  // Without a number of days hours go first of all, all else last.
  const none = term === 'keepHoursDays' ? 0 : Number.POSITIVE_INFINITY;
  return typeof length !== 'string' && length !== 0 && (length ?? none) < (before ?? none);
}

/** How long counts are kept, and which of a closed day. */
export function Retention(props: SectionProps) {
  const form = useSettingsForm(props, rows);
  const [asking, setAsking] = useState<{ settle: (isSaved: boolean) => void }>();
  const settle = (isSaved: boolean) => {
    asking?.settle(isSaved);
    setAsking(undefined);
  };
  const askFirst = () => new Promise<boolean>((answer) => setAsking({ settle: answer }));
  return (
    <>
      <SettingsForm
        id="retention"
        title={t.retention}
        lead={t.countsAreKeptForGoodAndThose}
        action={{ ...form, run: () => (deletes(form.values, props.project) ? askFirst() : form.run()) }}
      >
        <Fields rows={rows} form={form} project={props.project} />
      </SettingsForm>
      {asking && (
        <Confirmation
          title={t.deleteOlderCounts}
          confirmLabel={t.saveAndDelete}
          action={{
            isBusy: form.isBusy,
            // It stands in the form.
            failure: undefined,
            run: async () => {
              const isSaved = await form.run();
              settle(isSaved);
              return isSaved;
            },
          }}
          onClose={() => settle(false)}
        >
          <p>{t.olderCountsAreDeletedWithin}</p>
        </Confirmation>
      )}
    </>
  );
}

function deletes(values: Record<Term, string>, project: ProjectReply): boolean {
  return terms.some((term) => isShorter(term, values[term], project[term]));
}
