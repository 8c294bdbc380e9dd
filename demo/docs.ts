import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { connect } from '../connect/express.ts';
import type { NewKeyReply, ProjectReply } from '../shared/accounts/admin.ts';
import type { DashboardClient } from '../test/support/dashboard/dashboard.ts';

const home = join(import.meta.dirname, '..');

/**
 * Headcount's own documentation, as a site of its own whose visitors Headcount counts: people by the script, AI clients by
 * reports from its server.
 *
 * @param folder where its pages are built
 * @returns its address
 */
export async function serveDocs(
  url: string,
  dashboard: DashboardClient,
  folder: string,
  cleanUp: AsyncDisposableStack,
): Promise<string> {
  const { id } = await dashboard.must<ProjectReply>('POST', '/v1/admin/projects', {
    name: 'Documentation',
    hosts: ['localhost'],
    timeZone: 'UTC',
  });
  const { secret } = await dashboard.must<NewKeyReply>('POST', `/v1/admin/projects/${id}/keys`, {
    name: 'documentation',
    scope: 'ingest',
  });
  await build(folder, `<script defer src="${url}/hc.js" data-project="${id}"></script>`);
  const headcount = connect({ server: url, key: secret });
  const site = express().use(headcount, express.static(folder)).listen(0, 'localhost');
  await once(site, 'listening');
  cleanUp.defer(async () => {
    site.close();
    site.closeAllConnections();
    await headcount.flush();
  });
  return `http://localhost:${(site.address() as AddressInfo).port}/`;
}

async function build(folder: string, head: string): Promise<void> {
  const eleventy = join('node_modules', '@11ty', 'eleventy', 'cmd.cjs');
  const args = [eleventy, '--config=site/eleventy.config.js', '--quiet', `--output=${folder}`];
  await promisify(execFile)(process.execPath, args, {
    cwd: home,
    env: { ...process.env, HEADCOUNT_DOCS_HEAD: head },
  });
}
