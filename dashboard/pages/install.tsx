import type { InstallReply, ProjectReply } from '../../shared/accounts/admin.ts';
import type { NowReply } from '../../shared/reports/analytics.ts';
import { type Resource, useApi, usePolling, useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay } from '../formats/day.ts';
import { formatVisitors } from '../formats/number.ts';
import { useMayOpen } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';
import { t } from '../texts/pages.ts';
import { fill, mix } from '../texts/part.ts';

export function Install({ project }: { project: ProjectReply }) {
  const resource = useResource<InstallReply>(`/v1/admin/projects/${project.id}/install`);
  return (
    <Page title={t.install} class="page-text">
      <InstallWays project={project} resource={resource} />
    </Page>
  );
}

/** Every way to send page views, with this project's values. */
export function InstallWays({ project, resource }: Pick<StatusProps, 'project' | 'resource'>) {
  return (
    <Loaded resource={resource} lines={10}>
      {(install) => (
        <>
          <Status {...{ project, resource, install }} />
          <Hosts project={project} />
          <Script install={install} project={project} />
          <Server install={install} project={project} />
          <Logs project={project} />
        </>
      )}
    </Loaded>
  );
}

const everyMs = 3_000;

interface StatusProps {
  project: ProjectReply;
  resource: Resource<InstallReply>;
  install: InstallReply;
}

/** Whether page views arrive; asks again and again until the first one has come. */
function Status({ project, resource, install: { firstDay } }: StatusProps) {
  const { api } = useApi();
  usePolling(
    async () => {
      const found = await api.get<InstallReply>(`/v1/admin/projects/${project.id}/install`);
      if (found.firstDay !== null) resource.set(found);
    },
    everyMs,
    firstDay === null,
  );
  const isWaiting = firstDay === null;
  return (
    <div class={`arrival ${isWaiting ? '' : 'arrival-good'}`} role="status">
      <span class={`pulse ${isWaiting ? 'pulse-wait' : 'pulse-on'}`} aria-hidden="true" />
      {isWaiting ? (
        <p>{mix(t.addTheLineBelowToAPage, { waiting: <b>{t.waitingForTheFirstPageView}</b> })}</p>
      ) : (
        <Arriving projectId={project.id} firstDay={firstDay} />
      )}
    </div>
  );
}

function Arriving({ projectId, firstDay }: { projectId: string; firstDay: string }) {
  const now = useResource<NowReply>(`/v1/analytics/${projectId}/now`, { isLive: true });
  const visitors = now.data?.visitors.total ?? 0;
  return (
    <p>
      <b>{t.pageViewsAreArriving}</b> {fill(t.theFirstDayIs, { day: formatDay(firstDay) })}
      {visitors > 0 && ` ${fill(t.inTheLastFiveMinutes, { visitors: formatVisitors(visitors) })}`}{' '}
      <Link href={`/p/${projectId}`}>{t.openTheOverview}</Link>
    </p>
  );
}

/** Asks for the names of the hosts once some were seen. */
function Hosts({ project: { id, hosts, seenHosts } }: Pick<SectionProps, 'project'>) {
  const mayChange = useMayOpen('/settings');
  if (!mayChange || hosts.length > 0 || seenHosts.length === 0) return null;
  return (
    <p>
      {mix(t.pagesWereSeenOnAndViews, {
        hosts: <bdi>{seenHosts.join(', ')}</bdi>,
        link: <Link href={`/p/${id}/settings`}>{t.nameTheHostsOfYourSite}</Link>,
      })}
    </p>
  );
}

interface SectionProps {
  install: InstallReply;
  project: ProjectReply;
}

function Script({ install: { script, noscript, server }, project }: SectionProps) {
  const module = `import { start } from '@headcount/connect/tracker';

start({ project: '${project.id}', server: '${server}' });`;
  return (
    <section class="card">
      <h2>{t.inTheBrowser}</h2>
      <p>{t.addOneLineToTheHeadOfEvery}</p>
      <Code text={script} what={t.theScriptLine} />
      <h3>{t.withoutJavascript}</h3>
      <p>{t.addAnImageAtTheEndOfTheBody}</p>
      <Code text={noscript} what={t.theNoscriptLine} />
      <h3>{t.withABundler}</h3>
      <Code text={`npm install ${server}/connect.tgz`} what={t.theLineThatInstallsTheModule} />
      <Code text={module} what={t.theModule} />
    </section>
  );
}

function Server({ install: { server }, project: { id } }: SectionProps) {
  const mayMakeKeys = useMayOpen('/settings/keys');
  const options = (environment: string, indent = '') =>
    ['{', `  server: '${server}',`, `  project: '${id}',`, `  key: ${environment}.HEADCOUNT_KEY,`, '}'].join(`
${indent}`);
  const express = `import { connect } from '@headcount/connect/express';

app.use(connect(${options('process.env')}));`;
  const worker = `import { connect } from '@headcount/connect/fetch';

let headcount;

export default {
  async fetch(request, env, context) {
    headcount ??= connect(${options('env', '    ')});
    const response = await answer(request);
    headcount.report(request, response, context);
    return response;
  },
};`;
  return (
    <section class="card">
      <h2>{t.onYourServer}</h2>
      <p>
        {mix(t.mostAiClientsRunNoScripts, {
          key: mayMakeKeys ? (
            <Link href={`/p/${id}/settings/keys`}>{t.aKeyThatMaySendPageViews}</Link>
          ) : (
            t.aKeyThatAnOwnerMakes
          ),
          option: <code>countPeople: true</code>,
        })}
      </p>
      <Code text={`npm install ${server}/connect.tgz`} what={t.theLineThatInstalls} />
      <h3>{t.expressAndNodeHttp}</h3>
      <Code text={express} what={t.theExpressMiddleware} />
      <h3>{t.workersAndOtherFetchHandlers}</h3>
      <Code text={worker} what={t.theFetchHandler} />
    </section>
  );
}

function Logs({ project: { id } }: { project: ProjectReply }) {
  return (
    <section class="card">
      <h2>{t.fromAccessLogs}</h2>
      <p>{mix(t.theLogsOfNginxApacheCaddy, { option: <code>--follow</code> })}</p>
      <Code
        text={`npm run -s headcount -- import access.log --project ${id} --follow`}
        what={t.theImportCommand}
      />
    </section>
  );
}
