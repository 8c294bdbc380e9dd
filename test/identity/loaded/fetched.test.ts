import { afterEach, expect, test, vi } from 'vitest';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import type { AuditReply } from '../../../shared/accounts/audit.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import { startHeadcount } from '../../support/headcount.ts';
import {
  shippedVersion,
  signedCatalogue,
  signer,
  zyxUserAgent,
} from '../../support/identity/signed-catalogue.ts';
import { loopback, startHttpsServer } from '../../support/proof/https-server.ts';
import { offlineProofs } from '../../support/proof/offline-proofs.ts';

const newFolder = temporaryFolders();
afterEach(() => vi.restoreAllMocks());

test('a server takes up by itself what is at the address, judges by it, and notes in the audit list that it did', async () => {
  const host = await startHttpsServer((_request, response) => response.end(signedCatalogue()));
  // It waits up to a minute, so that not all servers ask at once.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const dataDir = await newFolder();
  const start = () =>
    startHeadcount({
      dataDir,
      env: {
        HEADCOUNT_OFFLINE: '0',
        HEADCOUNT_CATALOGUE_KEY: signer.publicKey,
        HEADCOUNT_CATALOGUE_URL: `https://${host.host}/secret-path/catalogue.signed`,
      },
      catalogueGet: createHttpsGet(loopback(host.ca)),
      proofs: offlineProofs(),
    });
  let headcount = await start();
  const loaded = async () => {
    const headers = { authorization: `Bearer ${headcount.rootKey}` };
    const { entries } = (await (await fetch(`${headcount.url}/v1/audit`, { headers })).json()) as AuditReply;
    return entries.filter(({ action }) => action === 'catalogue.loaded');
  };
  const entry = {
    actor: { kind: 'server', id: null, name: null },
    action: 'catalogue.loaded',
    projectId: null,
    subject: String(shippedVersion + 1),
    changes: [],
  };
  try {
    await expect.poll(loaded).toMatchObject([entry]);
    const hit = { u: 'https://docs.example/' };
    await headcount.hit(hit, { 'user-agent': zyxUserAgent });
    expect(await headcount.views()).toEqual({ '/': { human: 0, ai: 1, total: 1 } });
    await headcount.stop();
    // It asks again after each start, and what it has already is no news.
    headcount = await start();
    await expect.poll(() => host.asked.length).toBe(2);
    expect(host.asked).toEqual(Array(2).fill(`${host.host} /secret-path/catalogue.signed`));
  } finally {
    await headcount.stop();
    await host.close();
  }
  headcount = await startHeadcount({ dataDir });
  expect(await loaded()).toMatchObject([entry]);
  expect(headcount.log.join('')).not.toContain('secret-path');
  await headcount.stop();
});
