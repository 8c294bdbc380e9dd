import { JobFailure } from '../failure.ts';

export interface GithubApp {
  /** The App's ID or client ID. */
  appId: string;
  /** PEM, as GitHub hands it out. */
  privateKey: string;
  /** Looked up by the repository when not given. */
  installationId?: number | undefined;
}

/** What a project signs in with at its code host. */
export type ForgeAuth = { kind: 'token'; token: string } | ({ kind: 'app' } & GithubApp);

/** For code hosts without Apps. @throws JobFailure bad_forge */
export function requireToken(auth: ForgeAuth): string {
  if (auth.kind === 'token') return auth.token;
  throw new JobFailure(
    'bad_forge',
    'Only GitHub has Apps: give the project a token in place of the App, or choose GitHub as its code host.',
  );
}
