import { describe, expect, test } from 'vitest';
import type { Fetch } from '../../../server/jobs/forge/call.ts';
import { detectForge, openForge } from '../../../server/jobs/forge/forges.ts';
import { parseRepository } from '../../../server/jobs/git/repository.ts';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { names, plan, token, useForges } from '../../support/forge/forges.ts';
import { startForgeServer } from '../../support/forge/server.ts';

useForges();

describe('where the API is', () => {
  /** The address that a forge of this kind asks for a repository at this place. */
  async function askedFor(kind: ForgeKind, address: string, apiUrl?: string): Promise<string> {
    const asked: string[] = [];
    const listen: Fetch = async (input) => {
      asked.push(String(input));
      return Response.json([]);
    };
    const repository = parseRepository(address, ['https']);
    const auth = { kind: 'token', token } as const;
    const forge = openForge({ kind, repository, apiUrl, auth, fetch: listen, now: Date.now });
    await forge.ensurePullRequest(await plan()).catch(() => undefined);
    return (asked[0] ?? '').replace(/\?.*/, '');
  }

  test.for<[ForgeKind, string, string | undefined, string]>([
    ['github', 'https://github.com/ada/site.git', undefined, 'https://api.github.com/repos/ada/site/pulls'],
    ['github', 'https://acme.ghe.com/ada/site', undefined, 'https://api.acme.ghe.com/repos/ada/site/pulls'],
    [
      'github',
      'https://git.acme.com/ada/site',
      undefined,
      'https://git.acme.com/api/v3/repos/ada/site/pulls',
    ],
    [
      'github',
      'https://git.acme.com/ada/site',
      'https://api.acme.com/v3/',
      'https://api.acme.com/v3/repos/ada/site/pulls',
    ],
    [
      'gitlab',
      'https://gitlab.com/a/b/site',
      undefined,
      'https://gitlab.com/api/v4/projects/a%2Fb%2Fsite/merge_requests',
    ],
    [
      'gitlab',
      'https://acme.com/gitlab/a/site',
      'https://acme.com/gitlab/api/v4',
      'https://acme.com/gitlab/api/v4/projects/a%2Fsite/merge_requests',
    ],
    ['gitea', 'https://codeberg.org/ada/site', undefined, 'https://codeberg.org/api/v1/repos/ada/site/pulls'],
    [
      'gitea',
      'https://acme.com/git/ada/site',
      'https://acme.com/git/api/v1',
      'https://acme.com/git/api/v1/repos/ada/site/pulls',
    ],
    [
      'bitbucket',
      'https://bitbucket.org/ada/site',
      undefined,
      'https://api.bitbucket.org/2.0/repositories/ada/site/pullrequests',
    ],
  ])('%s for %s with %s', async ([kind, address, apiUrl, expected]) => {
    expect(await askedFor(kind, address, apiUrl)).toBe(expected);
  });

  test.for<[ForgeKind, string, string | undefined, string]>([
    ['github', 'https://github.com/site', undefined, 'bad_repository'],
    ['gitea', 'https://acme.com/git/ada/site', undefined, 'bad_repository'],
    ['bitbucket', 'https://bitbucket.org/site', undefined, 'bad_repository'],
    ['github', 'https://github.com/ada/site', 'http://api.github.com', 'bad_forge'],
    ['github', 'https://github.com/ada/site', 'api.github.com', 'bad_forge'],
    ['github', 'https://github.com/ada/site', 'https://user:pass@api.github.com', 'bad_forge'],
  ])('%s for %s with %s is refused', ([kind, address, apiUrl, code]) => {
    const repository = parseRepository(address, ['https']);
    const auth = { kind: 'token', token } as const;
    expect(() => openForge({ kind, repository, apiUrl, auth, fetch, now: Date.now })).toThrow(
      expect.objectContaining({ code, passing: false }),
    );
  });

  test.for([
    ['https://github.com/a/b', 'github'],
    ['https://acme.ghe.com/a/b', 'github'],
    ['https://gitlab.com/a/b', 'gitlab'],
    ['https://codeberg.org/a/b', 'gitea'],
    ['https://bitbucket.org/a/b', 'bitbucket'],
  ])('%s is known without asking', async ([address = '', kind]) => {
    const silent: Fetch = () => Promise.reject(new Error('No request was expected.'));
    expect(await detectForge(parseRepository(address, ['https']), { fetch: silent })).toBe(kind);
  });

  test.each(names)('a server of our own is recognised as %s', async (name) => {
    const own = await startForgeServer({ token, names: [name] });
    try {
      const repository = parseRepository(own.git.urlOf('ada/site'), ['http']);
      expect(await detectForge(repository, { fetch })).toBe(name);
    } finally {
      await own.close();
    }
  });

  test.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'a server whose certificate is refused (%s) is said to be such, and what to set',
    async (code) => {
      const refusing = async () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) });
      };
      const repository = parseRepository('https://git.example.com/ada/site', ['https']);
      await expect(detectForge(repository, { fetch: refusing })).rejects.toMatchObject({
        code: 'certificate',
        passing: false,
        message: expect.stringMatching(new RegExp(`certificate .*${code}.*NODE_EXTRA_CA_CERTS`)),
      });
    },
  );

  test('plain git is recognised as no forge, and a server that is away as such', async () => {
    const own = await startForgeServer({ token, names: [] });
    const repository = parseRepository(own.git.urlOf('ada/site'), ['http']);
    expect(await detectForge(repository, { fetch })).toBeUndefined();
    await own.close();
    await expect(detectForge(repository, { fetch })).rejects.toMatchObject({
      code: 'network',
      passing: true,
    });
  });
});
