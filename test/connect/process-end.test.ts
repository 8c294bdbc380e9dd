import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runScript } from '../support/child.ts';
import { startReceiver } from '../support/packages/connect.ts';
import { key, pathsOf, receiver } from '../support/packages/connect-reporter.ts';

describe('at the end of a process', () => {
  const source = (server: string, more = '') => `
    import { connect } from ${JSON.stringify(join(import.meta.dirname, '..', '..', 'dist', 'connect', 'fetch.js'))};
    const headcount = connect({ server: '${server}', key: '${key}' });
    const response = new Response('', { headers: { 'content-type': 'text/html' } });
    headcount.report(new Request('https://example.com/last'), response, { address: '192.0.2.1' });
    ${more}`;
  const run = async (text: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-end-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'site.mjs'), text);
    return runScript(join(folder, 'site.mjs'));
  };

  test('what waits is sent', async () => {
    const { url, batches } = await receiver();
    expect(await run(source(url))).toMatchObject({ code: 0, stderr: '' });
    expect(pathsOf(batches)).toEqual(['/last']);
  });

  test('what cannot be sent any more is said', async () => {
    const gone = await startReceiver();
    await gone.stop();
    expect((await run(source(gone.url))).stderr).toMatch(
      /^Headcount is unavailable, views wait: .*ECONNREFUSED.*\nHeadcount is unavailable, views lost: 1\n$/,
    );
    expect(await run(source(gone.url, 'process.exit(3);'))).toEqual({
      code: 3,
      stdout: '',
      stderr: 'Headcount is unavailable, views lost: 1\n',
    });
  });
});
