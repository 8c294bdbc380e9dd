import type { Sql } from '../database/sql.ts';
import { admin } from './admin/admin.ts';
import { type AuditEntry, addEntry, audit } from './admin/audit.ts';
import { catalogue } from './admin/catalogue.ts';
import { factors } from './admin/factors.ts';
import { signOns } from './admin/sign-ons.ts';
import { users } from './admin/users.ts';
import { annotations } from './annotations.ts';
import { calendars } from './calendar-repair.ts';
import type { CountingEngine } from './counting-engine.ts';
import { analytics } from './counts/analytics.ts';
import type { ReportTables } from './counts/count-tables.ts';
import { history } from './history.ts';
import { importUndo } from './import-undo.ts';
import { automations } from './jobs/automations.ts';
import type { Now } from './jobs/job.ts';
import { comments } from './jobs/job-comment.ts';
import { images } from './jobs/job-image.ts';
import { type AtTime, jobReports, jobs } from './jobs/jobs.ts';
import { transcripts } from './jobs/transcript.ts';
import { leases, turns } from './jobs/turns.ts';
import { outbox } from './outbox.ts';
import { pathLists, paths } from './paths.ts';
import { projects } from './projects.ts';
import { retention } from './retention.ts';
import { savedViews } from './saved-views.ts';
import { searches } from './searches.ts';
import { sitemaps, sites } from './sites.ts';

/** What is written once for both engines, and changes something or is asked all the time. */
export function sqlParts(sql: Sql, engine: CountingEngine) {
  return {
    projects: projects(sql, engine.forgetProject),
    admin: admin(sql),
    users: users(sql),
    factors: factors(sql),
    signOns: signOns(sql),
    audit: audit(sql),
    catalogue: catalogue(sql),
    jobs: jobs(sql),
    turns: turns(sql),
    leases: leases(sql),
    automations: automations(sql),
    sites: sites(sql),
    annotations: annotations(sql),
    savedViews: savedViews(sql),
    searches: searches(sql),
    outbox: outbox(sql),
    imports: importUndo(sql, engine),
    history: history(sql, engine),
    calendars: calendars(sql, engine),
    paths: paths(sql, engine),
    retention: retention(sql, engine),
  };
}

/** The same of what only reads. */
export function readingParts(sql: Sql, tables: ReportTables) {
  return {
    analytics: analytics(sql, tables),
    paths: pathLists(sql, tables),
    sites: sitemaps(sql),
    jobs: { ...jobReports(sql), ...transcripts(sql), ...comments(sql), ...images(sql) },
  };
}

type SqlParts = ReturnType<typeof sqlParts>;
/** As the store has them. */
type Parts = { [Part in keyof SqlParts]: Part extends 'jobs' ? AtTime<SqlParts[Part]> : SqlParts[Part] };
type Method = (...args: never[]) => Promise<unknown>;

/** Calls a method of a part, and adds its audit entries in the same transaction, if it changed something. */
export type CallAudited = <Part extends keyof Parts, Name extends keyof Parts[Part]>(
  part: Part,
  name: Name,
  args: Parts[Part][Name] extends Method ? Parameters<Parts[Part][Name]> : never,
  entries: readonly AuditEntry[],
) => Parts[Part][Name] extends Method ? ReturnType<Parts[Part][Name]> : never;

export function audited(sql: Sql, engine: CountingEngine) {
  return {
    callAudited(
      part: keyof SqlParts,
      name: string,
      args: readonly unknown[],
      entries: readonly AuditEntry[],
    ): Promise<unknown> {
      return sql.transaction(async (transaction) => {
        const methods: object = sqlParts(transaction, engine)[part];
        const result: unknown = await Reflect.get(methods, name)(...args);
        if (hasChanged(result)) for (const entry of entries) await addEntry(transaction, entry);
        return result;
      });
    },
  };
}

type Calls = ReturnType<typeof audited>['callAudited'];

/** With the time for those that take one. */
export function callAudited(call: Calls, now: () => Now): CallAudited {
  const calling: Calls = (part, name, args, entries) =>
    call(part, name, part === 'jobs' ? [now(), ...args] : args, entries);
  return calling as CallAudited;
}

const changes = ['added', 'replaced', 'connected', 'heard'];

/** By the method's result: false, null, 0 or the name of an obstacle means that nothing was changed. */
function hasChanged(result: unknown): boolean {
  if (typeof result === 'string') return changes.includes(result);
  if (typeof result === 'number') return result > 0;
  if (typeof result !== 'object' || result === null) return result === undefined || result === true;
  return !('kind' in result) || result.kind === 'accepted';
}
