import { afterAll, beforeAll } from 'vitest';
import { startGitClient, type TestGitClient, token } from '../jobs/git-client.ts';
import { type GitServer, startGitServer } from './git-server.ts';

/** A git server that wants the token, and the client that jobs use. */
export interface GitRun {
  server: GitServer;
  gitClient: TestGitClient;
}

/** For the tests of a file. */
export function gitRun(): GitRun {
  const run = {} as GitRun;
  beforeAll(async () => {
    run.server = await startGitServer({ token });
    run.gitClient = await startGitClient();
  });
  afterAll(async () => {
    await run.gitClient.remove();
    await run.server.close();
  });
  return run;
}
