import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';

/** For code hosts without groups in groups. @throws JobFailure bad_repository */
export function ownerAndName(slug: string): { owner: string; name: string } {
  const [owner = '', name = '', ...more] = slug.split('/');
  if (owner !== '' && name !== '' && more.length === 0) return { owner, name };
  throw new JobFailure(
    'bad_repository',
    `The address of the repository must end in an owner and a name, and ends in "${slug}": correct it, or the address of the code host's API if that lies below a path, ${inSettings('--repository or --forge-url')}.`,
  );
}
