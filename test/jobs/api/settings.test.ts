import { describe, expect, test } from 'vitest';
import { projectCommands } from '../../support/commands/project-commands.ts';

const token = 'ghp_Zu5fLz0nXqg7wJ1sEoVb4TkDmCpRyHiA96N2';

const { run, set, mustSet } = projectCommands();

describe('what jobs need', () => {
  test('is set from the command line, and left as it is by other settings', async () => {
    const settings = {
      repository: 'https://git.example.com/group/site',
      ref: 'main',
      forge: 'gitea',
      forgeUrl: 'https://git.example.com/api/v1',
      githubAppId: 'Iv1.abc',
      githubInstallationId: 42,
      model: 'compatible/qwen3:32b',
      branchPrefix: 'bot/',
      draft: true,
      closeIssues: true,
      docsFolder: 'website/docs',
      agentPaths: ['data/*.yml', '!api/**'],
      agentHosts: ['docs.example.com', 'www.example.org'],
      agentRepositories: ['https://github.com/acme/product', 'https://github.com/acme/sdk'],
      agentCommand: ['claude', '-p', 'a b'],
      agentUnconfined: true,
    };
    await mustSet([
      '--repository',
      settings.repository,
      '--ref',
      'main',
      '--forge',
      'gitea',
      '--draft',
      '--close-issues',
    ]);
    await mustSet([
      '--forge-url',
      settings.forgeUrl,
      '--github-app-id',
      'Iv1.abc',
      '--model',
      settings.model,
    ]);
    await mustSet(['--github-installation-id', '42', '--branch-prefix', 'bot/']);
    await mustSet([
      '--docs-folder',
      'website/docs',
      '--agent-paths',
      'data/*.yml',
      '--agent-paths',
      '!api/**',
      '--agent-hosts',
      'Docs.example.com,www.example.org',
      '--agent-repositories',
      'https://github.com/acme/product,https://github.com/acme/sdk',
    ]);
    const changed = await mustSet(['--agent-command', '["claude", "-p", "a b"]', '--agent-unconfined']);
    expect(changed).toMatchObject({ name: 'Docs', ...settings, forgeToken: false, githubAppKey: false });
    const emptied = ['--forge-url', '', '--github-app-id', '', '--github-installation-id', ''];
    expect(
      await mustSet([
        ...emptied,
        '--agent-command',
        '',
        '--no-draft',
        '--ref',
        '',
        '--docs-folder',
        '',
        '--agent-paths',
        '',
        '--agent-hosts',
        '',
        '--agent-repositories',
        '',
        '--no-agent-unconfined',
      ]),
    ).toMatchObject({
      ...settings,
      ref: '',
      forgeUrl: null,
      githubAppId: null,
      githubInstallationId: null,
      draft: false,
      docsFolder: '',
      agentPaths: [],
      agentHosts: [],
      agentRepositories: [],
      agentCommand: null,
      agentUnconfined: false,
    });
  });

  test('can be given when the project is added; nothing given means no jobs', async () => {
    const args = ['--repository', 'https://git.example.com/a/b', '--model', 'openai/gpt-5'];
    await run(['project', 'add', '--name', 'Ready', ...args]);
    await run(['project', 'add', '--name', 'Plain']);
    const listed = JSON.parse((await run(['project', 'list', '--json'])).stdout) as { name: string }[];
    expect(listed.find(({ name }) => name === 'Ready')).toMatchObject({
      repository: 'https://git.example.com/a/b',
      model: 'openai/gpt-5',
    });
    expect(listed.find(({ name }) => name === 'Plain')).toMatchObject({
      repository: null,
      ref: '',
      forge: 'auto',
      model: null,
      branchPrefix: 'headcount/{words}-',
      draft: false,
      agentCommand: null,
      forgeToken: false,
    });
  });

  test.each<[string[], string]>([
    [['--repository', 'git@github.com:owner/name'], '--repository must'],
    [['--repository', 'https://github.com'], 'https://github.com/owner/name'],
    [['--repository', 'https://github.com/owner/name?x=1'], 'https://github.com/owner/name'],
    [['--repository', `https://${token}@github.com/owner/name`], '--forge-token-stdin'],
    [['--repository', `https://user:${token}@github.com/owner/name`], '--forge-token-stdin'],
    [['--repository', 'http://git.example.com/a/b'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--repository', 'file:///srv/git/a.git'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--repository', 'ssh://git@github.com/owner/name'], '--repository must'],
    [['--forge-url', 'http://git.example.com/api/v1'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--forge-url', `https://${token}@git.example.com/api`], '--forge-url must not hold'],
    [
      ['--repository', 'https://10.0.0.5/owner/name'],
      '--repository is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS.',
    ],
    [['--repository', 'https://[fd00::1]:8443/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--repository', 'https://[::127.0.0.1]/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--repository', 'https://2130706433/owner/name'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--forge-url', 'https://169.254.169.254/api/v1'], '--forge-url is in a private network'],
    [['--agent-hosts', 'https://docs.example.com/'], '--agent-hosts'],
    [['--agent-repositories', 'git@github.com:owner/name'], 'https://github.com/owner/name'],
    [['--agent-repositories', `https://${token}@github.com/owner/name`], 'user name or token'],
    [['--agent-repositories', 'file:///srv/site.git'], 'HEADCOUNT_GIT_PROTOCOLS'],
    [['--agent-repositories', 'https://10.0.0.1/a/b'], 'HEADCOUNT_PRIVATE_NETWORKS'],
    [['--agent-hosts', '10.0.0.1'], 'docs.example.com'],
    [['--agent-hosts', 'localhost'], 'docs.example.com'],
    [['--forge', 'svn'], 'auto, github, gitlab, gitea, bitbucket or none'],
    [['--repository', 'https://github.com/owner/%2e%2e/name'], 'https://github.com/owner/name'],
    [['--repository', 'https://github.com/owner/%ff'], 'https://github.com/owner/name'],
    [['--ref', 'a b'], '--ref must be a branch, a tag or a commit'],
    [['--ref', 'refs/notes/x'], 'only branches and tags can be a base'],
    [['--ref', 'HEAD'], 'git uses this name itself'],
    [['--ref', 'a..b'], '".." or end in a dot'],
    [['--branch-prefix', 'refs/heads/bot/'], 'must not begin with "refs/"'],
    [['--branch-prefix=-bot/'], '--branch-prefix must be the beginning of a branch name: it must not'],
    [['--branch-prefix', 'bot//'], 'no part of it may be empty'],
    [['--branch-prefix', 'x'.repeat(180)], '1 to 200 bytes'],
    [['--docs-folder', '/docs'], '--docs-folder must be a folder of the repository such as website/docs'],
    [['--docs-folder', 'docs/../..'], '--docs-folder must be a folder'],
    [['--model', 'gpt-5'], '<provider>/<model>'],
    [['--model', 'acme/x'], 'anthropic, openai, google or compatible'],
    [['--github-installation-id', 'x'], 'whole number'],
    [['--draft', '--no-draft'], 'either --draft or --no-draft'],
    [['--agent-command', 'claude -p'], 'JSON list'],
    [['--agent-command', '[]'], 'must name a program'],
    [['--agent-command', '["claude", 7]'], 'JSON list'],
    [['--forge-token-stdin', '--github-app-key-stdin'], 'one secret only'],
    [['--forge-token-stdin', '--remove-forge-token'], 'not both'],
    [['--forge-token-stdin'], 'the token and nothing else'],
    [['--github-app-key-stdin'], '-----BEGIN'],
  ])('is refused: %j', async (args, message) => {
    const { code, stdout, stderr } = await set(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('other protocols are taken where the operator allows them', async () => {
    const more = {
      HEADCOUNT_GIT_PROTOCOLS: 'https,http,file',
      HEADCOUNT_PRIVATE_NETWORKS: 'loopback',
    };
    for (const repository of ['http://127.0.0.1:3000/a/b', 'file:///srv/git/a.git']) {
      expect(await mustSet(['--repository', repository], '', more)).toMatchObject({ repository });
    }
    await mustSet(['--name', 'Docs']);
  });

  test.each([
    ['HEADCOUNT_GIT_PROTOCOLS', 'https,ssh'],
    ['HEADCOUNT_GIT_AUTHOR', 'nobody'],
    ['HEADCOUNT_MAX_JOBS', '-1'],
    ['HEADCOUNT_MAX_JOBS_PER_PROJECT', '0'],
    ['HEADCOUNT_JOB_ARCHIVE_DAYS', 'never'],
    ['HEADCOUNT_AGENT_ENV', 'HOME,A-B'],
    ['HEADCOUNT_AGENT_ENV', 'HEADCOUNT_OIDC_CLIENT_SECRET'],
    ['HEADCOUNT_AGENT_ENV', 'HEADCOUNT_BACKUP_PASSPHRASE'],
    ['HEADCOUNT_SECRET_KEY', 'c2hvcnQ='],
  ])('the setting %s=%s ends with 2 and says what to give', async (name, value) => {
    const { code, stderr } = await run(['project', 'list'], '', { [name]: value });
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
