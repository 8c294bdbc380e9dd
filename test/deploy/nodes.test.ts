import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settingGroups } from '../../server/config/settings.ts';
import { operations } from '../../server/operations.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { findProgram } from '../support/machine/program.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');

async function run(program: string, args: string[], env: Record<string, string>) {
  const options = { env: { PATH: process.env.PATH, HOME: tmpdir(), ...env } };
  return promisify(execFile)(findProgram(program) ?? program, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), said: String(stdout) + String(stderr) }),
  );
}

describe('several nodes in compose', () => {
  const given = {
    HEADCOUNT_DOMAIN: 'stats.example',
    HEADCOUNT_SECRET_KEY: 'c2VjcmV0',
    HEADCOUNT_DATABASE_PASSWORD: 'p4ss',
  };
  const args = ['--file', join(deploy, 'nodes.compose.yaml'), 'config'];

  test('are understood, with one PostgreSQL and one key for all', async (context) => {
    needProgram(context, 'docker-compose');
    const { code, said } = await run('docker-compose', args, given);
    expect(code, said).toBe(0);
    expect(
      said.match(/HEADCOUNT_DATABASE_URL: postgres:\/\/headcount:p4ss@database:5432\/headcount/g),
    ).toHaveLength(2);
    expect(said.match(/HEADCOUNT_SECRET_KEY: c2VjcmV0/g)).toHaveLength(2);
    expect(said).toContain('POSTGRES_PASSWORD: p4ss');
  });

  test.for(Object.keys(given))('need %s', async (name, context) => {
    needProgram(context, 'docker-compose');
    const { code, said } = await run('docker-compose', args, { ...given, [name]: '' });
    expect(code).not.toBe(0);
    expect(said).toMatch(/name the domain|make one/);
  });

  test('stand behind a proxy that asks which is ready', async (context) => {
    needProgram(context, 'caddy');
    const caddy = ['validate', '--config', join(deploy, 'nodes.Caddyfile'), '--adapter', 'caddyfile'];
    for (const env of [
      {},
      { HEADCOUNT_DOMAIN: 'stats.example', HEADCOUNT_UPSTREAMS: 'node-1:8787 node-2:8787' },
    ]) {
      const { code, said } = await run('caddy', caddy, env as Record<string, string>);
      expect(said).toContain('Valid configuration');
      expect(said).not.toContain('"level":"warn"');
      expect(code).toBe(0);
    }
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  stringData: Record<string, string>;
  spec: {
    replicas: number;
    selector: { matchLabels?: Record<string, string> };
    ports: { targetPort: string }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: { containers: Container[]; volumes: { name: string }[] };
    };
  };
}

interface Container {
  ports: { name: string; containerPort: number }[];
  env: { name: string }[];
  envFrom: { secretRef: { name: string } }[];
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

describe('several nodes in Kubernetes', async () => {
  const text = await readFile(join(deploy, 'kubernetes', 'headcount.yaml'), 'utf8');
  const all = parseAllDocuments(text).map((one): Manifest => one.toJS());
  const find = (kind: string) => all.find((one) => one.kind === kind) as Manifest;
  const { spec } = find('Deployment');
  const [container] = spec.template.spec.containers as [Container];

  test('are found by what leads to them', () => {
    expect(all.map(({ kind }) => kind)).toEqual(['Secret', 'Deployment', 'Service', 'PodDisruptionBudget']);
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.ports[0]?.targetPort).toBe(container.ports[0]?.name);
    expect(container.ports[0]?.containerPort).toBe(8787);
    expect(spec.replicas).toBeGreaterThan(1);
  });

  test('are given settings that there are, the secret ones by a Secret', () => {
    const known = new Set<string>(settingGroups.flatMap(({ settings }) => settings.map(({ name }) => name)));
    const secret = find('Secret');
    expect(container.envFrom[0]?.secretRef.name).toBe(secret.metadata.name);
    expect(Object.keys(secret.stringData)).toEqual(['HEADCOUNT_DATABASE_URL', 'HEADCOUNT_SECRET_KEY']);
    const names = [...Object.keys(secret.stringData), ...container.env.map(({ name }) => name)];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('are asked at addresses that answer', () => {
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    const asked = probes.map(({ httpGet }) => httpGet.path);
    expect(asked).toEqual(['/healthz', '/healthz', '/readyz']);
    const paths = operations.map(({ path }) => path);
    expect(asked.filter((path) => !paths.includes(path))).toEqual([]);
    for (const { httpGet } of probes) expect(httpGet.port).toBe(container.ports[0]?.name);
  });

  test('have the folders that they write to', () => {
    const volumes = spec.template.spec.volumes.map(({ name }) => name);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes);
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
  });
});
