import type { InstallReply, ProjectReply } from '../../shared/admin.ts';
import type { NowReply } from '../../shared/analytics.ts';
import { useApi } from '../api/context.ts';
import { usePolling } from '../api/polling.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay } from '../formats/day.ts';
import { formatVisitors } from '../formats/number.ts';
import { useMayOpen } from '../router/project-pages.ts';
import { Link } from '../router/router.tsx';

/** Every way to send page views, with this project's values. */
export function Install({ project }: { project: ProjectReply }) {
  const path = `/v1/admin/projects/${project.id}/install`;
  const resource = useResource<InstallReply>(path);
  return (
    <Page title="Install" class="page-text">
      <Loaded resource={resource} lines={10}>
        {(install) => (
          <>
            <Status project={project} path={path} resource={resource} install={install} />
            <Hosts project={project} />
            <Script install={install} project={project} />
            <Server install={install} project={project} />
            <Logs project={project} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const everyMs = 3_000;

interface StatusProps {
  project: ProjectReply;
  path: string;
  resource: Resource<InstallReply>;
  install: InstallReply;
}

/** Whether page views arrive; asks again and again until the first one has come. */
function Status({ project, path, resource, install: { firstDay } }: StatusProps) {
  const { api } = useApi();
  usePolling(
    async () => {
      const found = await api.get<InstallReply>(path);
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
        <p>
          <b>Waiting for the first page view.</b> Add the line below to a page and open it in a browser. It
          appears here within seconds.
        </p>
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
      <b>Page views are arriving.</b> The first day is {formatDay(firstDay)}.
      {visitors > 0 && ` In the last five minutes: ${formatVisitors(visitors)}.`}{' '}
      <Link href={`/p/${projectId}`}>Open the overview</Link>
    </p>
  );
}

/** Asks for the names of the hosts once some were seen. */
function Hosts({ project: { id, hosts, seenHosts } }: Pick<SectionProps, 'project'>) {
  const mayChange = useMayOpen('/settings');
  if (!mayChange || hosts.length > 0 || seenHosts.length === 0) return null;
  return (
    <p>
      Pages were seen on <bdi>{seenHosts.join(', ')}</bdi>.{' '}
      <Link href={`/p/${id}/settings`}>Name the hosts of your site</Link>, and views on others are left out;
      localhost counts only until a page on a public host was seen.
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
      <h2>In the browser</h2>
      <p>
        Add one line to the head of every page. It counts people, and AI agents that use a browser, and
        follows navigation in single-page apps. It sets no cookies.
      </p>
      <Code text={script} what="the script line" />
      <h3>Without JavaScript</h3>
      <p>Add an image at the end of the body to count visitors whose browser runs no scripts.</p>
      <Code text={noscript} what="the noscript line" />
      <h3>With a bundler</h3>
      <Code text={`npm install ${server}/connect.tgz`} what="the line that installs the module" />
      <Code text={module} what="the module" />
    </section>
  );
}

function Server({ install: { server }, project: { id } }: SectionProps) {
  const mayMakeKeys = useMayOpen('/keys');
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
      <h2>On your server</h2>
      <p>
        Most AI clients run no scripts. Your server sees their requests, and a middleware reports them. It
        needs{' '}
        {mayMakeKeys ? (
          <Link href={`/p/${id}/keys`}>a key that may send page views</Link>
        ) : (
          'a key that may send page views, which an owner makes'
        )}
        . People are counted by the script; without the script, set <code>countPeople: true</code>.
      </p>
      <Code text={`npm install ${server}/connect.tgz`} what="the line that installs it" />
      <h3>Express and node:http</h3>
      <Code text={express} what="the Express middleware" />
      <h3>Workers and other fetch handlers</h3>
      <Code text={worker} what="the fetch handler" />
    </section>
  );
}

function Logs({ project: { id } }: { project: ProjectReply }) {
  return (
    <section class="card">
      <h2>From access logs</h2>
      <p>
        The logs of nginx, Apache, Caddy and others hold every visit, including past ones. Run this where
        Headcount runs; with <code>--follow</code> it goes on counting as the log grows.
      </p>
      <Code
        text={`npm run -s headcount -- import access.log --project ${id} --follow`}
        what="the import command"
      />
    </section>
  );
}
