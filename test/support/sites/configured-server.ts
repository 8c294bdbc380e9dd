import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram } from './web-server.ts';

interface NginxSettings {
  /** Inside `http`. */
  http?: string;
  /** Inside the `server`, locations included. */
  server: string;
}

/** The arguments of an nginx without root, which keeps all its files in the folder. */
export async function configureNginx(
  folder: string,
  port: number,
  { http = '', server }: NginxSettings,
): Promise<string[]> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};
events {}
http { ${temporary} access_log off;
${http}
server { listen 127.0.0.1:${port};
${server} } }`,
  );
  return ['-p', folder, '-e', join(folder, 'error.log'), '-c', file];
}

/** A Caddy of this site alone. */
export async function startCaddyWith(
  folder: string,
  port: number,
  site: string,
  host = '127.0.0.1',
): Promise<ChildProcess> {
  const file = join(folder, 'Caddyfile');
  const url = `http://${host}:${port}`;
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n}\n${url} {\n${site}\n}\n`);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return startProgram('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], env, url);
}
