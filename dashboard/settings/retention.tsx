import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/admin.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { TextField } from '../components/field.tsx';
import type { FormState } from '../components/form.tsx';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

type Term = 'keepDetailsMonths' | 'keepCountsMonths';

const toText = (months: number | null) => String(months ?? '');

/** What is no number is sent as it is, for the server to say so. */
function toMonths(text: string): number | string | null {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed || null;
}

/** Whether something goes that was to stay until now. */
function isShorter(text: string, before: number | null): boolean {
  const months = toMonths(text);
  return typeof months === 'number' && months > 0 && months < (before ?? Number.POSITIVE_INFINITY);
}

/** How long counts are kept. */
export function Retention(props: SectionProps) {
  const { keepDetailsMonths, keepCountsMonths } = props.project;
  const form = useProjectForm<Term>(
    props,
    { keepDetailsMonths: toText(keepDetailsMonths), keepCountsMonths: toText(keepCountsMonths) },
    (values) => ({
      settings: {
        keepDetailsMonths: toMonths(values.keepDetailsMonths),
        keepCountsMonths: toMonths(values.keepCountsMonths),
      },
    }),
  );
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
        title="Retention"
        lead="Counts are kept for good, unless you say otherwise."
        action={{ ...form, run: () => (deletes(form.values, props.project) ? askFirst() : form.run()) }}
      >
        <Terms field={form.field} />
      </SettingsForm>
      {asking && (
        <Confirmation
          title="Delete older counts?"
          confirmLabel="Save and delete"
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
          <p>Older counts are deleted within a minute. Only a backup can bring them back.</p>
        </Confirmation>
      )}
    </>
  );
}

function deletes(values: Record<Term, string>, project: ProjectReply): boolean {
  return (['keepDetailsMonths', 'keepCountsMonths'] as const).some((term) =>
    isShorter(values[term], project[term]),
  );
}

function Terms({ field }: Pick<FormState<Term>, 'field'>) {
  return (
    <div class="side-by-side">
      <MonthsField
        label="Keep details for (months)"
        {...field('keepDetailsMonths')}
        hint="Paths, sources, AI clients and all else that a day was counted by; its visitors and views stay. Leave it empty to keep them for good."
      />
      <MonthsField
        label="Keep counts for (months)"
        {...field('keepCountsMonths')}
        hint="Everything that was counted on a day. Leave it empty to keep it for good."
      />
    </div>
  );
}

function MonthsField(props: Parameters<typeof TextField>[0]) {
  return <TextField {...props} inputMode="numeric" placeholder="for good" />;
}
