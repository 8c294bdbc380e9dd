import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marked, type Tokens } from 'marked';
import { makeCertificate } from '../certificate.ts';
import { type Headcount, type HeadcountOptions, startHeadcount } from '../headcount.ts';
import { freePort } from '../machine/free-port.ts';
import { configureNginx, startCaddyWith } from './configured-server.ts';
import { startProgram, stopProgram } from './web-server.ts';

/** How a proxy has Headcount below `/analytics`. */
export type ProxyName = 'nginx' | 'nginx that takes the path away' | 'Caddy';

/** A host with a page of its own at `/page`, and Headcount below `/analytics`. */
export interface ProxiedHeadcount {
  headcount: Headcount;
  /** Of the host: `https` behind nginx. */
  origin: string;
  /** Where browsers reach Headcount. */
  url: string;
  stop(): Promise<void>;
}

/** The configuration from docs/operations.md. */
async function documented(program: 'Caddy' | 'nginx', upstream: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const tokens = marked.lexer(text.slice(text.indexOf('### Below a path')));
  const start = tokens.findIndex(({ raw }) => raw.startsWith(`**${program}**`));
  const { text: code } = tokens.slice(start).find(({ type }) => type === 'code') as Tokens.Code;
  const site = program === 'Caddy' ? code.split('\n').slice(1, -1).join('\n') : code;
  return site.replace(/(127\.0\.0\.1|localhost):8787/, upstream);
}

export async function startBelowPath(proxy: ProxyName, options: HeadcountOptions): Promise<ProxiedHeadcount> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-proxied-'));
  const [plainPort, tlsPort] = [await freePort(), await freePort()];
  const origin = proxy === 'Caddy' ? `http://localhost:${plainPort}` : `https://localhost:${tlsPort}`;
  const url = `${origin}/analytics`;
  const headcount = await startHeadcount({ ...options, env: { HEADCOUNT_BASE_URL: url, ...options.env } });
  const page = `<!doctype html><title>Page</title><link rel='icon' href='data:,'><h1>Page</h1><script defer src='${url}/hc.js' data-project='${headcount.projectId}'></script>`;
  const upstream = new URL(headcount.url).host;
  const start = async () => {
    if (proxy === 'Caddy') {
      const site = await documented('Caddy', upstream);
      const answer = `handle /page {\nheader Content-Type text/html\nrespond "${page}"\n}`;
      return startCaddyWith(folder, plainPort, `${site}\n${answer}`, 'localhost');
    }
    const { cert, key } = await makeCertificate(['localhost']);
    await writeFile(join(folder, 'site.pem'), cert);
    await writeFile(join(folder, 'site.key'), key);
    const locations = await documented('nginx', upstream);
    const server = `listen 127.0.0.1:${tlsPort} ssl; ssl_certificate ${folder}/site.pem; ssl_certificate_key ${folder}/site.key;
location = /page { default_type text/html; return 200 "${page}"; }
${proxy === 'nginx' ? locations : locations.replace(/(proxy_pass [^;]+)/, '$1/')}`;
    const args = await configureNginx(folder, plainPort, { server });
    return startProgram('nginx', args, {}, `http://127.0.0.1:${plainPort}`);
  };
  const child = await start();
  return {
    headcount,
    origin,
    url,
    stop: async () => {
      await stopProgram(child);
      await headcount.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
