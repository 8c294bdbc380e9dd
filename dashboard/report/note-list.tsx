import type { ChangesReply } from '../../shared/reports/insights.ts';
import { useAction } from '../api/action.ts';
import { type Resource, useApi } from '../api/resource.ts';
import { TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Failure } from '../components/notice.tsx';
import { formatDay } from '../formats/day.ts';
import { readable } from '../formats/text.ts';
import { t } from '../texts/more.ts';
import { fill } from '../texts/part.ts';

export interface NotesProps {
  /** Address of the project's reports. */
  base: string;
  /** In the project's zone. */
  today: string;
  /** What is marked on the chart. */
  changes: Resource<ChangesReply>;
}

/** What is noted, and a form for more. */
export function EditNotes(props: NotesProps) {
  return (
    <>
      <NewNote {...props} />
      <NoteList {...props} />
    </>
  );
}

function NewNote({ base, today, changes }: NotesProps) {
  const { api } = useApi();
  const form = useForm({ date: today, text: '' }, async (values) => {
    await api.send('POST', `${base}/annotations`, { ...values, kind: 'note' });
    form.reset();
    changes.reload();
  });
  return (
    <Form action={form} submitLabel={t.addNote} isKept>
      <TextField label={t.day} {...form.field('date')} type="date" max={today} required />
      <TextField
        label={t.whatHappened}
        {...form.field('text')}
        placeholder={t.newsletterCampaignNewPrices}
        maxLength={200}
        required
      />
    </Form>
  );
}

/** Of the days of the chart. What was merged stays, as nobody noted it. */
function NoteList({ base, changes }: Omit<NotesProps, 'today'>) {
  const { api } = useApi();
  const notes = (changes.data?.changes ?? []).filter(({ kind }) => kind === 'note' || kind === 'release');
  const remove = useAction(async (id: string) => {
    await api.send('DELETE', `${base}/annotations/${encodeURIComponent(id)}`);
    changes.reload();
  });
  return (
    <>
      <Failure failure={remove.failure} />
      <ul class="rows">
        {notes.map(({ id, date, text }) => (
          <li key={id}>
            <span class="rows-main">
              <time dateTime={date}>{formatDay(date)}</time> <bdi>{readable(text)}</bdi>
            </span>
            <button
              type="button"
              class="small"
              disabled={remove.isBusy}
              onClick={() => id !== null && remove.run(id)}
              aria-label={fill(t.removeTheNoteOf, { date: formatDay(date), text: readable(text) })}
            >
              {t.remove}
            </button>
          </li>
        ))}
        {notes.length === 0 && <li class="empty">{t.nothingIsNotedOnTheseDays}</li>}
      </ul>
    </>
  );
}
