import { type Day, fromDay, toDay } from '../counting/calendar.ts';
import { forgetOldDays } from '../ingest/sealing/retention.ts';
import { forgetPaths } from './project/project-paths.ts';
import { type Command, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { unknownProject } from './terminal/unknown-project.ts';
import { withStore } from './terminal/with-store.ts';

const options = {
  project: { type: 'string' },
  path: { type: 'string', multiple: true },
  'details-before': { type: 'string' },
  before: { type: 'string' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>['values'];

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, options);
  const { project, path } = values;
  if (project === undefined) throw new UsageError('Name the project: --project <project>.');
  const asked = [path, values['details-before'], values.before].filter((one) => one !== undefined);
  if (asked.length !== 1) throw new UsageError('Give one of --path, --details-before and --before.');
  if (path === undefined) return await forgetDays(project, values, terminal);
  const flags = [...(values.yes ? ['--yes'] : []), ...(values.json ? ['--json'] : [])];
  await forgetPaths([...flags, '--', project, ...path], terminal);
}

async function forgetDays(projectId: string, values: Values, terminal: Terminal): Promise<void> {
  const details = readDay('--details-before', values['details-before']);
  const counts = readDay('--before', values.before);
  const { yes = false, json = false } = values;
  await withStore(terminal, async (store) => {
    const { projects } = await store.directory();
    if (!projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
    const calendar = (await store.listCalendars()).find((one) => one.projectId === projectId);
    const end = Math.min(details ?? counts ?? 0, (calendar?.sealedThrough ?? Number.NEGATIVE_INFINITY) + 1);
    const days = (await store.imports.listDays(projectId)).filter(({ day }) => day < end);
    if (yes) await forgetOldDays(store, projectId, { details, counts });
    const dates = days.map(({ day }) => String(fromDay(day)));
    const [from = null, to = null] = [dates.at(0), dates.at(-1)];
    terminal.print(
      json
        ? `${JSON.stringify({ projectId, done: yes, days: days.length, from, to })}\n`
        : describe(dates, details !== null, yes),
    );
  });
}

function describe(dates: string[], isDetails: boolean, isDone: boolean): string {
  if (dates.length === 0) return 'No closed day is older than that. Nothing was changed.\n';
  const days =
    dates.length === 1 ? `1 day (${dates[0]})` : `${dates.length} days (${dates[0]} to ${dates.at(-1)})`;
  const what = isDetails ? 'The details of' : 'All counts of';
  if (isDone) return `${what} ${days} were deleted.\n`;
  return `${what} ${days} would be deleted. Nothing was changed: add --yes to do it.\n`;
}

/** @throws UsageError */
function readDay(option: string, text: string | undefined): Day | null {
  if (text === undefined) return null;
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new RangeError();
    return toDay(Temporal.PlainDate.from(text));
  } catch {
    throw new UsageError(`${option} must be a date such as 2026-05-10, not "${text}".`);
  }
}

export const forgetCommand: Command = {
  help: `Usage: headcount forget --project <project> --path <glob>… [--yes] [--json]
       headcount forget --project <project> --details-before <date> [--yes] [--json]
       headcount forget --project <project> --before <date> [--yes] [--json]

Deletes counts for good, also while the server runs. Without --yes it only prints what it would delete.

  --path <glob>            delete names and counts of these paths, such as "/reset/**", on all days, those that are still
                           open included; the totals of the site stay; may be given several times
  --details-before <date>  delete counts by path, source, AI client and so on of days before this one; the totals of the
                           site stay
  --before <date>          delete all counts of days before this one
  --yes                    do it
  --json                   print the result as JSON, for programs

--details-before and --before leave days that are still open as they are. "headcount project set" has --keep-details
and --keep-counts, with which the server does the same every day. Deleted counts remain in your backups.
`,
  run,
};
