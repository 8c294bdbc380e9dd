import { useState } from 'preact/hooks';
import type { ChangesReply } from '../../shared/reports/insights.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import type { Resource } from '../api/resource.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/form/field.tsx';
import { Form, useForm } from '../components/form/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Failure } from '../components/notice.tsx';
import { formatDay } from '../formats/day.ts';
import { readable } from '../formats/text.ts';
import { fill } from '../texts/part.ts';
import { t } from '../texts/report.ts';

interface NotesProps {
  /** Address of the project's reports. */
  base: string;
  /** In the project's zone. */
  today: string;
  /** What is marked on the chart. */
  changes: Resource<ChangesReply>;
}

/** Opens what the owner of a project has noted on its chart, to add to it and to remove from it. */
export function Notes(props: NotesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="quiet icon-button"
        aria-label={t.notesOnTheChart}
        title={t.notes}
        onClick={() => setOpen(true)}
      >
        <Icon name="flag" />
      </button>
      {isOpen && (
        <Dialog title={t.notesOnTheChart} onClose={() => setOpen(false)}>
          <NewNote {...props} />
          <NoteList {...props} />
        </Dialog>
      )}
    </>
  );
}

function NewNote({ base, today, changes }: NotesProps) {
  const { api } = useApi();
  const form = useForm({ date: today, text: '' }, async (values) => {
    await api.send('POST', `${base}/marks`, { ...values, kind: 'note' });
    form.reset();
    changes.reload();
  });
  return (
    <Form action={form} submitLabel={t.addNote}>
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
    await api.send('DELETE', `${base}/marks/${encodeURIComponent(id)}`);
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
