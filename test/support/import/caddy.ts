import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../machine/free-port.ts';
import { startProgram, stopProgram, type WebServer } from '../sites/web-server.ts';
import { getter } from './nginx.ts';

/** Caddy with its JSON access log, on a free port, without its administration interface. */
export async function startCaddy(): Promise<WebServer> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-caddy-'));
  const port = await freePort();
  const log = join(folder, 'access.log');
  await writeFile(
    join(folder, 'Caddyfile'),
    `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	log {
		output file ${log}
	}
	@page not path *.css
	header @page Content-Type "text/html; charset=utf-8"
	header *.css Content-Type text/css
	respond / "home"
	respond /docs* "docs"
	respond /style.css "p{}"
	respond 404
}
`,
  );
  const url = `http://127.0.0.1:${port}`;
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  const child = await startProgram('caddy', args, env, url);
  return {
    url,
    log,
    get: getter(url),
    // It rotates by itself only.
    reopen: async () => undefined,
    stop: async () => {
      await stopProgram(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
