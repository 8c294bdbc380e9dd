import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProofs, type Proofs } from '../../../server/identity/proof/proof.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import {
  serveKeys,
  startDirectoryServer,
  type TestDirectoryServer,
} from '../../support/proof/directory-server.ts';
import { loopback } from '../../support/proof/https-server.ts';
import { keepRecentRanges } from '../../support/proof/recent-ranges.ts';
import { createSigner, signRequest } from '../../support/proof/signer.ts';

const at = Date.parse('2026-11-21T12:00:00Z');
const log = { info: () => undefined, warn: () => undefined };
const dataDir = mkdtempSync(join(tmpdir(), 'headcount-proof-'));
keepRecentRanges(dataDir, at);
afterAll(() => rmSync(dataDir, { recursive: true }));
const alice = createSigner();

describe('the proofs', () => {
  let server: TestDirectoryServer;
  let proofs: Proofs;
  beforeEach(async () => {
    server = await startDirectoryServer();
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    server.hosts.localhost = serveKeys([alice.jwk]);
  });
  afterEach(async () => {
    await proofs.stop();
    await server.close();
  });

  it('answer for ranges, host names and signatures together', async () => {
    let lookUps = 0;
    const resolver = {
      resolvePtr: async () => {
        lookUps++;
        return ['a.alice.test'];
      },
      resolve4: async () => ['74.7.175.1'],
      resolve6: async () => [],
    };
    proofs = createProofs({
      dataDir,
      now: () => at,
      log,
      get: createHttpsGet(loopback(server.ca)),
      resolver,
    });
    const host = `alice.test:${server.port}`;
    const ask = (nonce: string) => ({
      ip: '74.7.175.1',
      feeds: ['openai-gptbot'],
      suffixes: ['.alice.test'],
      request: signRequest(alice, { agent: `"https://${host}"`, at, nonce }),
    });

    expect(proofs.check(ask('first'))).toMatchObject({
      ranges: 'outside',
      dns: 'unknown',
      signature: { state: 'unknown', host },
    });
    expect(await proofs.prove(ask('first'))).toMatchObject({
      ranges: 'outside',
      dns: 'confirmed',
      signature: { state: 'valid', host },
    });
    expect(lookUps).toBe(1);

    const proof = proofs.check(ask('second'));
    expect(proof).toMatchObject({ ranges: 'outside', signature: { state: 'valid', host } });
    expect(proof.dns).toBeUndefined();
    expect(proofs.check(ask('second')).signature?.state).toBe('invalid');
    proofs.release(proof);
    expect(proofs.check(ask('second')).signature?.state).toBe('valid');
  });

  it('fetch nothing from loopback when they are used as the server uses them', async () => {
    proofs = createProofs({ dataDir, now: () => at, log });
    for (const agent of [`https://${server.host}`, 'https://localhost', `https://127.0.0.1:${server.port}`]) {
      const request = signRequest(alice, { agent: `"${agent}"`, at });
      const { signature } = await proofs.prove({ ip: '203.0.113.9', request });
      expect(signature).toMatchObject({
        state: 'unknown',
        why: expect.stringContaining('not a public host'),
      });
    }
    expect(server.connections()).toBe(0);
  });

  it('keep no process alive, and stop also when they never started', async () => {
    const module = new URL('../../../server/identity/proof/proof.ts', import.meta.url).href;
    const code = `const { createProofs } = await import(${JSON.stringify(module)});
      const log = { info() {}, warn() {} };
      createProofs({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now, log }).start();
      process.stdout.write('started');`;
    const run = ['--input-type=module', '--eval', code];
    expect(execFileSync(process.execPath, run, { timeout: 120_000 }).toString()).toBe('started');
    proofs = createProofs({ dataDir, now: () => at, log });
    await proofs.stop();
  });
});
