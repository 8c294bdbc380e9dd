import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../machine/free-port.ts';
import { openConnection } from '../raw-connection.ts';
import { startProgram, stopProgram, type WebServer } from '../sites/web-server.ts';
import { person } from './import-run.ts';

/** The log format of nginx. */
export interface NginxOptions {
  /** A whole `log_format` statement for the format `test`; otherwise combined. */
  logFormat?: string;
}

const pages = `
    location = / { return 200 "home"; }
    location /docs { return 200 "docs"; }
    location = /style.css { default_type text/css; return 200 "p{}"; }
    location = /moved { return 301 /docs; }
    location / { return 404; }`;

/** nginx without root, on a free port. Requests come from the address in X-Forwarded-For, as from behind a proxy. */
export async function startNginx({ logFormat }: NginxOptions = {}): Promise<WebServer> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-nginx-'));
  const port = await freePort();
  const log = join(folder, 'access.log');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process on; worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};
events { worker_connections 64; }
http {
  ${temporary} default_type text/html;
  set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;
  ${logFormat ?? ''}
  access_log ${log} ${logFormat ? 'test' : 'combined'};
  server { listen 127.0.0.1:${port}; server_name localhost;${pages}
  }
}`,
  );
  const url = `http://127.0.0.1:${port}`;
  const child = await startProgram(
    'nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    {},
    url,
  );
  return {
    url,
    log,
    get: getter(url),
    reopen: async () => {
      child.kill('SIGUSR1');
      while (!(await stat(log).catch(() => undefined))) await pause(5);
    },
    stop: async () => {
      await stopProgram(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Every request on a connection of its own, and until the server has closed it: nginx and Caddy log a request after they have
 * answered it and before they close.
 */
export function getter(url: string): WebServer['get'] {
  return async (path, headers = {}, method = 'GET') => {
    const lines = Object.entries({
      host: new URL(url).host,
      'user-agent': person,
      ...headers,
      connection: 'close',
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const connection = openConnection(url);
    connection.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
    return Number((await connection.closed).split(' ')[1]);
  };
}
