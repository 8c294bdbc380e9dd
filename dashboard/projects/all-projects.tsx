import { useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import type { GlanceReply } from '../../shared/reports/analytics.ts';
import { withQuery } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { CountCells, columns } from '../components/count-cells.tsx';
import { CsvLink } from '../components/csv-link.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { isMissing } from '../formats/measured.ts';
import { byName, findByName } from '../formats/project-names.ts';
import { Head } from '../report/count-table.tsx';
import { Included } from '../report/panel.tsx';
import { Search } from '../report/panel-tools.tsx';
import { Link, useRouter } from '../router/router.tsx';
import { t } from '../texts/installation.ts';
import { mix } from '../texts/part.ts';
import { t as report } from '../texts/report.ts';
import { AddProject } from './new-project.tsx';

type ProjectAtAGlance = GlanceReply['projects'][number];

const path = '/v1/analytics';
/** As many as are answered at once. */
const most = 1000;
/** Projects that a note names. */
const mostConnected = 3;

interface AllProjectsProps {
  /** Whether the user may make projects. */
  mayAdd: boolean;
  onProject: (project: ProjectReply) => void;
}

/** Every project with the visitors of its last 30 days: one request, sorted and searched here. */
export function AllProjects({ mayAdd, onProject }: AllProjectsProps) {
  const [isAdding, setAdding] = useState(false);
  const resource = useResource<GlanceReply>(withQuery(path, { limit: most }), { isLive: true });
  return (
    <Page
      title={t.allProjects}
      class="page-report"
      aside={mayAdd && <NewButton onClick={() => setAdding(true)} />}
    >
      <p class="report-days">{t.visitorsOfTheLast30DaysToday}</p>
      <Loaded resource={resource} lines={12}>
        {(glance) => <Projects {...glance} />}
      </Loaded>
      {isAdding && <AddProject onProject={onProject} onClose={() => setAdding(false)} />}
    </Page>
  );
}

function NewButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" onClick={onClick}>
      <Icon name="plus" /> {t.newProject}
    </button>
  );
}

function Projects({ projects, hasMore }: GlanceReply) {
  const { query } = useRouter();
  const search = query.get('search') ?? '';
  const sort = query.get('sort') ?? 'total';
  const found = findByName(projects, search).sort(orderOf(sort));
  return (
    <section class="panel" aria-label={t.projects}>
      <div class="panel-head">
        <div class="panel-tools">
          <Search parameter={(end) => end} value={search} title={t.inProjects} />
          <CsvLink href={withQuery(path, { format: 'csv' })} title={t.projects} />
        </div>
      </div>
      {hasMore && <p class="panel-note">{mix(t.theseAreTheFirstByName, { most })}</p>}
      {found.length === 0 ? (
        <p class="empty">{t.noProjectHasThisName}</p>
      ) : (
        <ProjectTable projects={found} sort={sort} />
      )}
      <Included {...found.find(({ includesExcluded }) => includesExcluded)} />
      <ConnectFirst
        projects={found.filter(({ totals, measured }) => isMissing('ai', totals.visitors.ai, measured))}
      />
    </section>
  );
}

/** Where AI is measured only if the server or its log reports it: of the first ones, so that the note stays short. */
function ConnectFirst({ projects }: { projects: readonly ProjectAtAGlance[] }) {
  const { why, link } = report.connectFirst.ai;
  if (projects.length === 0) return null;
  return (
    <p class="panel-note">
      {why}
      {projects.slice(0, mostConnected).map(({ id, name }) => (
        <>
          {' '}
          <Link key={id} href={`/p/${id}/install`}>
            {link}: <bdi>{name}</bdi>
          </Link>
          .
        </>
      ))}
    </p>
  );
}

/** Numbers descending, and then by name. */
function orderOf(sort: string): (a: ProjectAtAGlance, b: ProjectAtAGlance) => number {
  const column = columns.find((key) => key === sort);
  if (!column) return byName;
  return (a, b) => b.totals.visitors[column] - a.totals.visitors[column] || byName(a, b);
}

function ProjectTable({ projects, sort }: { projects: ProjectAtAGlance[]; sort: string }) {
  return (
    <table class="counts">
      <caption class="unseen">{t.projects}</caption>
      <thead>
        <tr>
          <Head order="name" name={t.project} sort={sort} />
          {columns.map((key) => (
            <Head key={key} order={key} name={report.columns[key]} sort={sort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {projects.map((project) => (
          <tr key={project.id}>
            <th scope="row">
              <div class="glance">
                <Link href={`/p/${project.id}`} class="name">
                  <bdi>{project.name}</bdi>
                </Link>
                <Sparkline human={courseOf('human', project)} ai={courseOf('ai', project)} />
              </div>
            </th>
            <CountCells count={project.totals.visitors} measured={project.measured} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Without today, which is not over. None where they were measured on no day: quiet days would look as if there was a course. */
function courseOf(
  of: 'human' | 'ai',
  { totals, daily, measured }: ProjectAtAGlance,
): readonly (number | null)[] {
  return isMissing(of, totals.visitors[of], measured) ? [] : daily[of].slice(0, -1);
}

interface SparklineProps {
  /** Of each day; null, a gap as in the chart: nobody measured. Empty: on no day. */
  human: readonly (number | null)[];
  ai: readonly (number | null)[];
}

/** Of a field that the style stretches. */
const [width, height] = [100, 24];

type Point = readonly [x: number, y: number];

/** The course of some days, without numbers, which stand beside it: people as in the chart a filled area, AI a dashed line. */
function Sparkline({ human, ai }: SparklineProps) {
  const top = Math.max(1, ...[...human, ...ai].map(Number));
  const people = runsOf(human, top);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="spark-area" d={people.map(areaOf).join('')} />
      <path class="spark-human" d={people.map(lineOf).join('')} />
      <path class="spark-ai" d={runsOf(ai, top).map(lineOf).join('')} />
    </svg>
  );
}

/** The points between gaps. */
function runsOf(counts: readonly (number | null)[], top: number): Point[][] {
  const step = width / Math.max(1, counts.length - 1);
  const runs: Point[][] = [[]];
  for (const [day, count] of counts.entries()) {
    if (count === null) runs.push([]);
    else runs.at(-1)?.push([round(day * step), round(height - 1 - ((height - 2) * count) / top)]);
  }
  return runs.filter(({ length }) => length > 0).map(widen);
}

/** To a point between two gaps no line leads: it is a short one itself. */
function widen(run: Point[]): Point[] {
  const [[x, y] = [0, 0], ...more] = run;
  if (more.length > 0) return run;
  const from = Math.min(Math.max(0, x - 1), width - 2);
  return [from, from + 2].map((end) => [end, y]);
}

const lineOf = (run: readonly Point[]): string => `M${run.join('L')}`;

const areaOf = (run: readonly Point[]): string => `M${run[0]?.[0]},${height}L${run.join('L')}V${height}Z`;

const round = (place: number): number => Math.round(place * 10) / 10;
