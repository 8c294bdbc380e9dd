import { type DatasetOptions, type FilledHeadcount, startFilledHeadcount } from '../dataset/dataset.ts';
import { type ForgeServer, startForgeServer } from '../forge/server.ts';
import type { SeedFiles } from '../git/git-server.ts';
import { type Script, startModelServer } from '../jobs/model/model-server.ts';
import { type DashboardClient, openDashboard } from './dashboard.ts';

const token = 'dashboard-token-3f9a1c';

export interface DashboardWorld extends FilledHeadcount {
  /** Signed in; uses the API as the page does. */
  client: DashboardClient;
  forge: ForgeServer;
  /** Settings and secrets with which jobs work, as `PATCH /v1/admin/projects/{projectId}` takes them. */
  jobs: { settings: object; secrets: object };
}

interface WorldOptions {
  dataset?: DatasetOptions;
  /** What the model says. */
  script: Script;
  slug: string;
  files: SeedFiles;
  /** Settings besides. */
  env?: Record<string, string>;
}

/** A server with the dataset and a password, and all that a job needs outside of it. */
export async function startDashboardWorld(options: WorldOptions): Promise<DashboardWorld> {
  const [forge, model] = await Promise.all([
    startForgeServer({ token, names: ['gitea'] }),
    startModelServer(options.script),
  ]);
  const repository = await forge.git.createRepository(options.slug, options.files);
  const headcount = await startFilledHeadcount({
    dataset: options.dataset ?? {},
    env: {
      HEADCOUNT_MAX_JOBS: '1',
      HEADCOUNT_JOB_RETRY: '0',
      HEADCOUNT_GIT_PROTOCOLS: 'http',
      HEADCOUNT_PRIVATE_NETWORKS: 'allow',
      HEADCOUNT_MODEL_BASE_URL: `${model.url}/v1`,
      ...options.env,
    },
  });
  const client = await openDashboard(headcount);
  const settings = {
    repository,
    forge: 'gitea',
    forgeUrl: forge.apiUrl('gitea'),
    model: 'compatible/scripted',
  };
  const stop = async () => {
    await headcount.stop();
    await Promise.all([forge.close(), model.close()]);
  };
  return { ...headcount, client, forge, jobs: { settings, secrets: { forgeToken: token } }, stop };
}
