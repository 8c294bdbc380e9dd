import { type ForgeServer, startForgeServer } from '../support/forge/server.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { siteFiles, siteNames } from './site-files.ts';

export const forgeToken = 'evaluation-token-of-this-run';

/** A Headcount with a code host that has the four sites. */
export interface World extends AsyncDisposable {
  headcount: Headcount;
  forge: ForgeServer;
}

/** @param env what the server is told of models */
export async function startWorld(env: Record<string, string>): Promise<World> {
  const forge = await startForgeServer({ token: forgeToken, names: ['gitea'] });
  for (const name of siteNames) {
    await forge.git.createRepository(slugOf(name), Object.fromEntries(siteFiles(name)));
  }
  const headcount = await startHeadcount({
    env: {
      HEADCOUNT_MAX_JOBS: '4',
      HEADCOUNT_GIT_PROTOCOLS: 'http',
      HEADCOUNT_PRIVATE_NETWORKS: 'allow',
      ...env,
    },
  });
  return {
    headcount,
    forge,
    [Symbol.asyncDispose]: async () => {
      await headcount.stop();
      await forge.close();
    },
  };
}

export function slugOf(site: string): string {
  return `docs/${site}`;
}
