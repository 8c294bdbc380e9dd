import { describe, expect, test } from 'vitest';
import { type AuditEntry, auditKeptMs } from '../../../../server/store/admin/audit.ts';
import type { Store } from '../../../../server/store/store.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';

const entry = (subject: string, given: Partial<AuditEntry> = {}): AuditEntry => ({
  at: 1000,
  actor: { kind: 'user', id: 'user_1', name: 'ada' },
  action: 'project.changed',
  projectId: 'p1',
  subject,
  changes: ['timeZone: UTC → Europe/Berlin'],
  ...given,
});

/** What every engine promises about the audit list. */
export function testAuditStore(engine: Engine): void {
  describe(`the ${engine.name} store of who changed what`, () => {
    let store: Store;
    const page = { projectId: null, limit: 10, offset: 0 };
    const subjects = async (query: Partial<typeof page> | { projectId: string } = {}) => {
      const { rows, hasMore } = await store.audit.listEntries({ ...page, ...query });
      return [rows.map(({ subject }) => subject).join(' '), hasMore];
    };

    eachStore(engine, (opened) => {
      store = opened;
    });

    /** With a call that changes nothing here. */
    const note = (one: AuditEntry) =>
      store.callAudited('outbox', 'deleteAnnounced', [{ deliveries: 0, keys: 0 }], [one]);

    test('lists entries as they were noted, the newest first, by page and by project', async () => {
      const administrator = { kind: 'administrator', id: null, name: null } as const;
      const entries = [
        entry('one'),
        entry('two', { actor: administrator, action: 'user.added', projectId: null, changes: [] }),
        entry('three', { at: 2000, projectId: 'p2' }),
      ];
      for (const one of entries) await note(one);
      expect((await store.audit.listEntries(page)).rows).toEqual([entries[2], entries[1], entries[0]]);
      expect(await subjects({ limit: 2 })).toEqual(['three two', true]);
      expect(await subjects({ limit: 2, offset: 2 })).toEqual(['one', false]);
      expect(await subjects({ projectId: 'p1' })).toEqual(['one', false]);
      expect(await subjects({ projectId: 'none' })).toEqual(['', false]);
    });

    test('forgets entries after two years', async () => {
      await note(entry('old'));
      await note(entry('newer', { at: 2000 }));
      await note(entry('now', { at: 1001 + auditKeptMs }));
      expect(await subjects()).toEqual(['now newer', false]);
    });
  });
}
