import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { lazy } from '../components/lazy.tsx';
import { t } from '../texts/report.ts';
import type { NotesProps } from './note-list.tsx';

const EditNotes = lazy(async () => (await import('./note-list.tsx')).EditNotes, null);

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
          <EditNotes {...props} />
        </Dialog>
      )}
    </>
  );
}
