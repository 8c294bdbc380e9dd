import fc from 'fast-check';
import type { Access } from '../../../server/http/access.ts';
import type { Route } from '../../../server/http/route.ts';
import type { LinkReply } from '../../../shared/accounts/admin.ts';
import { reportedHit } from '../../../shared/hit.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { EventsReply, TimeReply, ViewsReply } from '../../../shared/reports/replies.ts';
import { type DashboardClient, isSignedIn, openDashboard, password } from '../dashboard/dashboard.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../headcount.ts';
import { breaksOff, toBytes } from './request-bytes.ts';
import type { CallerKind, RequestPlan, Surroundings } from './request-plan.ts';
import { type Hints, valuesOf } from './schema-values.ts';
import { sendBytes, type WireOutcome } from './wire.ts';

export interface FuzzedServer {
  /** What requests to the operation can speak of. */
  around(operation: Route): Surroundings;
  /** Sends the request; keeps count of what was accepted. */
  send(plan: RequestPlan): Promise<WireOutcome>;
  /** Views and events that were answered 202 and not dropped. */
  accepted(): number;
  /** Views and events in the project's reports. */
  counted(): Promise<number>;
  log: string[];
  secrets(): string[];
  stop(): Promise<void>;
}

/** Beyond this an answer hangs, also with other work on the machine. */
const answerMs = 20_000;

/** A server with a project that is counted, and another that the dashboard may change and remove. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  const jobs = { repository: 'https://github.com/ada/site', model: 'anthropic/claude-opus-4-5' };
  const headcount = await startHeadcount({
    project: jobs,
    betweenLooksMs: 0,
    timing: { headMs: 2_000, requestMs: 10_000, checkMs: 500 },
  });
  const spare = await headcount.addProject(jobs);
  let dashboard = await openDashboard(headcount);
  const tokens = await makeLinks(headcount, dashboard);
  const jobId = await makeJob(headcount);
  const hints = makeHints(headcount);
  let accepted = 0;

  return {
    around: ({ access }) => ({
      hints,
      params: {
        // Settings and keys are not changed where views are counted.
        projectId: [isManaged(access) ? spare.projectId : headcount.projectId],
        jobId: [jobId],
        token: [...tokens, 'none'],
        client: ['GPTBot'],
      },
    }),
    send: async (plan) => {
      const bytes = toBytes(
        plan,
        identityFields(plan.identity, headcount, dashboard),
        new URL(headcount.url).host,
      );
      const outcome = await sendBytes(Number(new URL(headcount.url).port), bytes, {
        isHead: plan.method === 'HEAD',
        breaksOff: breaksOff(plan),
        timeoutMs: answerMs,
      });
      // Notifications of the Model Context Protocol are answered 202 too.
      if (plan.path !== '/mcp') accepted += acceptedIn(outcome);
      // It may have been signed out, or have another password.
      if (plan.identity === 'session' && plan.method !== 'GET' && !(await isSignedIn(dashboard))) {
        dashboard = await openDashboard(headcount);
      }
      return outcome;
    },
    accepted: () => accepted,
    counted: async () => {
      const path = `/v1/analytics/${headcount.projectId}`;
      const { totals } = await headcount.get<ViewsReply>(`${path}/views`);
      const { events } = await headcount.get<EventsReply>(`${path}/events`);
      const { pages } = await headcount.get<TimeReply>(`${path}/time-on-page`);
      const seen = pages.flatMap(({ path: _path, ...steps }) => Object.values(steps));
      const happened = events.map(({ events }) => events);
      return [...happened, ...seen].reduce((sum, count) => sum + count, totals.total ?? Number.NaN);
    },
    log: headcount.log,
    secrets: () => [headcount.adminKey, headcount.ingestKey, headcount.rootKey, password, dashboard.cookie],
    stop: () => headcount.stop(),
  };
}

const isManaged = (access: Access) => access === 'session_project' || access === 'project_key';

async function makeLinks(headcount: Headcount, dashboard: DashboardClient): Promise<string[]> {
  const urls = [];
  for (const kind of ['page', 'badge']) {
    const path = `/v1/admin/projects/${headcount.projectId}/links`;
    urls.push((await dashboard.must<LinkReply>('POST', path, { kind })).url);
  }
  return urls.map((url) => /([^/]+?)(\.svg)?$/.exec(url)?.[1] ?? '');
}

async function makeJob(headcount: Headcount): Promise<string> {
  const response = await fetch(`${headcount.url}/v2/agent/${headcount.projectId}/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Mend a typo.' }),
  });
  return ((await response.json()) as { id: string }).id;
}

function makeHints({ projectId }: Headcount): Hints {
  const urls = ['/', '/docs', '/%', '/a?utm_source=x', '//x', '/é'].map(
    (path) => `https://example.com${path}`,
  );
  const days = ['2026-11-01', '2026-12-01', '2026-11-20T10:00:00Z', '2026-02-30'];
  const url = fc.constantFrom(...urls, 'javascript:1', 'https://', '/docs');
  const hints: Hints = {
    p: fc.constant(projectId),
    project: fc.constant(projectId),
    u: url,
    url,
    r: url,
    referrer: url,
    ip: fc.oneof(fc.ipV4(), fc.ipV6()),
    userAgent: fc.constantFrom(chromeUserAgent, 'GPTBot/1.2', 'curl/8'),
    at: fc.integer({ min: -100_000_000, max: 1_000 }).map((ms) => new Date(Date.now() + ms).toISOString()),
    dateFrom: fc.constantFrom(...days),
    dateTo: fc.constantFrom(...days),
    trustedProxies: fc.constantFrom('loopback', '10.0.0.0/8,::1', ''),
    settings: valuesOf(projectSettings.partial(), {}),
    limit: fc.constantFrom('1', '250', '251', '0'),
    offset: fc.constantFrom('0', '5', '99999999999999999999'),
    after: fc.constantFrom('0', '1', '99999999999999999999'),
    current: fc.constant(password),
    password: fc.constantFrom(password, 'wrong horse battery'),
  };
  return { ...hints, hits: fc.array(valuesOf(reportedHit, hints), { maxLength: 5 }) };
}

function identityFields(
  identity: CallerKind,
  { adminKey, ingestKey, rootKey }: Headcount,
  { cookie }: DashboardClient,
): [string, string][] {
  switch (identity) {
    case 'none':
      return [];
    case 'broken':
      return [['Authorization', `Bearer ${adminKey.slice(0, -1)}`]];
    case 'ingest':
      return [['Authorization', `Bearer ${ingestKey}`]];
    case 'admin':
      return [['Authorization', `Bearer ${adminKey}`]];
    case 'all_projects':
      return [['Authorization', `Bearer ${rootKey}`]];
    case 'session':
      return [
        ['Cookie', cookie],
        ['Sec-Fetch-Site', 'same-origin'],
      ];
    default:
      return identity satisfies never;
  }
}

function acceptedIn(outcome: WireOutcome): number {
  if (typeof outcome === 'string' || outcome.status !== 202 || outcome.headers.has('x-headcount-dropped'))
    return 0;
  if (!outcome.headers.get('content-type')?.[0]?.startsWith('application/json')) return 1;
  return (JSON.parse(outcome.body.toString()) as { accepted: number }).accepted;
}
