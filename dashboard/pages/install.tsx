import type { InstallReply, ProjectReply } from '../../shared/admin.ts';
import type { NowReply } from '../../shared/analytics.ts';
import { useApi } from '../api/context.ts';
import { usePolling } from '../api/polling.ts';
import { type Resource, useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Loaded } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { formatDay } from '../formats/day.ts';
import { Link } from '../router/router.tsx';

/** Every way to send hits, with this project's values. */
export function Install({ project }: { project: ProjectReply }) {
  const path = `/v1/admin/projects/${project.id}/install`;
  const resource = useResource<InstallReply>(path);
  return (
    <Page title="Install" class="page-text">
      <Loaded resource={resource} lines={10}>
        {(install) => (
          <>
            <Arrival project={project} path={path} resource={resource} install={install} />
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

interface ArrivalProps {
  project: ProjectReply;
  path: string;
  resource: Resource<InstallReply>;
  install: InstallReply;
}

/** Looks again and again until the first hit has come. */
function Arrival({ project, path, resource, install: { firstDay } }: ArrivalProps) {
  const { api } = useApi();
  const now = useResource<NowReply>(`/v1/analytics/${project.id}/now`, { isLive: true });
  usePolling(
    async () => {
      const found = await api.get<InstallReply>(path);
      if (found.firstDay !== null) resource.set(found);
    },
    everyMs,
    firstDay === null,
  );
  const count = now.data?.visitors.total ?? 0;
  return (
    <div class={`arrival ${firstDay === null ? '' : 'arrival-good'}`} role="status">
      <span class={`pulse ${firstDay === null ? 'pulse-wait' : 'pulse-on'}`} aria-hidden="true" />
      {firstDay === null ? (
        <p>
          <b>Waiting for the first hit.</b> Put the line below into a page and open it in a browser; it shows
          here within seconds.
        </p>
      ) : (
        <p>
          <b>Hits arrive.</b> The first day with one is {formatDay(firstDay)}
          {count > 0 &&
            `, and ${count === 1 ? 'one visitor was' : `${count} visitors were`} here in the last five minutes`}
          . <Link href={`/p/${project.id}`}>Look at the overview</Link>
        </p>
      )}
    </div>
  );
}

interface WaysProps {
  install: InstallReply;
  project: ProjectReply;
}

function Script({ install: { script, noscript, server }, project }: WaysProps) {
  const module = `import { start } from 'headcount/tracker';

start({ project: '${project.id}', server: '${server}' });`;
  return (
    <section class="card">
      <h2>In the browser</h2>
      <p>
        One line in the head of every page. It counts people, and agents that drive a browser, through all
        navigations inside the page. It sets no cookie.
      </p>
      <Code text={script} what="the script line" />
      <h3>Where no script runs</h3>
      <p>An image at the end of the body counts readers without JavaScript.</p>
      <Code text={noscript} what="the noscript line" />
      <h3>With a bundler</h3>
      <Code text={module} what="the module" />
    </section>
  );
}

function Server({ install: { server }, project: { id } }: WaysProps) {
  const options = (environment: string, indent = '') =>
    ['{', `  server: '${server}',`, `  project: '${id}',`, `  key: ${environment}.HEADCOUNT_KEY,`, '}'].join(`
${indent}`);
  const express = `import { connect } from 'headcount/connect/express';

app.use(connect(${options('process.env')}));`;
  const worker = `import { connect } from 'headcount/connect/fetch';

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
        Most AI clients run no script: your server sees them, and a middleware reports them. It needs a key
        that may <Link href={`/p/${id}/keys`}>send hits</Link>. People are left to the script, unless you say{' '}
        <code>countPeople: true</code>.
      </p>
      <h3>Express, or node:http</h3>
      <Code text={express} what="the Express middleware" />
      <h3>Workers and whatever else speaks fetch</h3>
      <Code text={worker} what="the fetch handler" />
    </section>
  );
}

function Logs({ project: { id } }: { project: ProjectReply }) {
  return (
    <section class="card">
      <h2>From access logs</h2>
      <p>
        Logs of nginx, Apache, Caddy and others hold every reader, those of the past too. On the machine of
        this server, with <code>--follow</code> for what is yet to come:
      </p>
      <Code
        text={`npm run -s headcount -- import access.log --project ${id} --follow`}
        what="the import command"
      />
    </section>
  );
}
