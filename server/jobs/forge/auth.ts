import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';

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

/** For code hosts without groups in groups. @throws JobFailure bad_repository */
export function ownerAndName(slug: string): { owner: string; name: string } {
  const [owner = '', name = '', ...more] = slug.split('/');
  if (owner !== '' && name !== '' && more.length === 0) return { owner, name };
  throw new JobFailure(
    'bad_repository',
    `The address of the repository must end in an owner and a name, and ends in "${slug}": correct it, or the address of the code host's API if that lies below a path, ${inSettings('--repository or --forge-url')}.`,
  );
}
