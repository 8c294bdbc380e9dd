import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHeadcount } from '../../support/child.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import { startHeadcount } from '../../support/headcount.ts';
import { signedCatalogue, signer, zyxUserAgent } from '../../support/identity/signed-catalogue.ts';
import { startFollowing } from '../../support/import/following.ts';
import { combined } from '../../support/import/import-run.ts';
import { timeoutAtThisLoad } from '../../support/machine/load.ts';

const newFolder = temporaryFolders();
const believing = { HEADCOUNT_CATALOGUE_KEY: signer.publicKey };

test('whoever follows a log judges by a catalogue from when it is loaded', async () => {
  const headcount = await startHeadcount({ env: believing });
  const folder = await newFolder();
  const [log, signed] = [join(folder, 'access.log'), join(folder, 'catalogue.signed')];
  await Promise.all([writeFile(log, ''), writeFile(signed, signedCatalogue())]);
  const following = await startFollowing(headcount.dataDir, headcount.projectId, [log], believing);
  const write = () =>
    appendFile(
      log,
      combined({ at: new Date().toISOString(), ip: '203.0.113.7', path: '/new', userAgent: zyxUserAgent }),
    );
  const views = async () => {
    await write();
    const { views: rows } = await headcount.get<{ views: { ai: number }[] }>(
      `/v1/analytics/${headcount.projectId}/views`,
    );
    return rows.map(({ ai }) => ai > 0);
  };
  try {
    await write();
    const env = { HEADCOUNT_DATA_DIR: headcount.dataDir, ...believing };
    expect(await runHeadcount(['catalogue', 'load', signed], env)).toMatchObject({ code: 0 });
    await expect.poll(views, { timeout: timeoutAtThisLoad(25_000), interval: 500 }).toEqual([true]);
    const { code, stdout } = await following.stop('SIGTERM');
    expect(code).toBe(0);
    // What came before was judged by what was in use then.
    expect(JSON.parse(stdout).notCounted.bot).toBeGreaterThan(0);
  } finally {
    await following.kill();
    await headcount.stop();
  }
});
