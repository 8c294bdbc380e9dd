import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { TextField } from '../components/form/field.tsx';
import type { FormState } from '../components/form/form.tsx';
import { t } from '../texts/settings.ts';
import { type SectionProps, SettingsForm, useProjectForm } from './form.tsx';

const terms = ['keepDetailsMonths', 'keepCountsMonths', 'keepHoursDays'] as const;
type Term = (typeof terms)[number];

/** Of something for each term. */
const mapTerms = <T,>(convert: (term: Term) => T) =>
  Object.fromEntries(terms.map((term) => [term, convert(term)])) as Record<Term, T>;

/** What is no number is sent as it is, for the server to say so. */
function toLength(text: string): number | string | null {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed || null;
}

/** Whether something goes that was to stay until now. */
function isShorter(term: Term, text: string, before: number | null): boolean {
  const length = toLength(text);
  // Without a number of days hours go first of all, all else last.
  const none = term === 'keepHoursDays' ? 0 : Number.POSITIVE_INFINITY;
  return typeof length !== 'string' && length !== 0 && (length ?? none) < (before ?? none);
}

/** How long counts are kept. */
export function Retention(props: SectionProps) {
  const form = useProjectForm<Term>(
    props,
    mapTerms((term) => String(props.project[term] ?? '')),
    (values) => ({ settings: mapTerms((term) => toLength(values[term])) }),
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
        title={t.retention}
        lead={t.countsAreKeptForGoodAndThose}
        action={{ ...form, run: () => (deletes(form.values, props.project) ? askFirst() : form.run()) }}
      >
        <Terms field={form.field} />
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

function Terms({ field }: Pick<FormState<Term>, 'field'>) {
  return (
    <div class="side-by-side">
      <TermField
        label={t.keepDetailsForMonths}
        {...field('keepDetailsMonths')}
        placeholder={t.forGood}
        hint={t.pathsSourcesAiClientsAndAll}
      />
      <TermField
        label={t.keepCountsForMonths}
        {...field('keepCountsMonths')}
        placeholder={t.forGood}
        hint={t.everythingThatWasCounted}
      />
      <TermField
        label={t.keepHoursForDays}
        {...field('keepHoursDays')}
        placeholder={t.untilItIsSealed}
        hint={t.visitorsAndViewsByTheHour}
      />
    </div>
  );
}

function TermField(props: Parameters<typeof TextField>[0]) {
  return <TextField {...props} inputMode="numeric" />;
}
