import { type SecretName, secretNames } from '../../../shared/secrets.ts';
import { objectToSecret } from '../../projects/rules.ts';
import { secretOptionOf } from '../../projects/secrets.ts';
import type { ListedProject } from '../../store/projects.ts';
import { type Terminal, UsageError } from '../terminal/command.ts';
import type { OptionValues } from '../terminal/options.ts';

/** Those of `project set` alone, as they go elsewhere than settings. */
export const secretOptions = {
  'forge-token-stdin': { type: 'boolean' },
  'github-app-key-stdin': { type: 'boolean' },
  'repository-tokens-stdin': { type: 'boolean' },
  'forge-webhook-secret-stdin': { type: 'boolean' },
  'signing-key-stdin': { type: 'boolean' },
  'webhook-url-stdin': { type: 'boolean' },
  'webhook-secret-stdin': { type: 'boolean' },
  'remove-forge-token': { type: 'boolean' },
  'remove-github-app-key': { type: 'boolean' },
  'remove-repository-tokens': { type: 'boolean' },
  'remove-forge-webhook-secret': { type: 'boolean' },
  'remove-signing-key': { type: 'boolean' },
  'remove-webhook-url': { type: 'boolean' },
  'remove-webhook-secret': { type: 'boolean' },
} as const;

export const secretHelp = `Secrets are read from standard input, kept encrypted and never shown again ("project set" only):
  --forge-token-stdin        the token for the repository and its forge
  --github-app-key-stdin     the private key (PEM) of the GitHub App
  --repository-tokens-stdin  tokens for --agent-repositories: lines of an address, a space and its token
  --forge-webhook-secret-stdin  what the webhook of the repository is signed with
  --signing-key-stdin        the private SSH or GPG key with which commits are signed, without a passphrase
  --webhook-url-stdin        where the webhook goes; Slack's address is a secret, too
  --webhook-secret-stdin     what the webhook is signed with: whsec_ and 32 random bytes in base64
  --remove-forge-token, --remove-github-app-key, --remove-repository-tokens, --remove-forge-webhook-secret,
  --remove-signing-key, --remove-webhook-url, --remove-webhook-secret  forget it
`;

/** `{forgeToken: true}`: that is all anybody is told of a secret. */
export function whichSecrets({ secrets }: Pick<ListedProject, 'secrets'>): Record<string, boolean> {
  return Object.fromEntries(secretNames.map((name) => [name, secrets.includes(name)]));
}

/** What was asked to be set (its text) or removed (null). @throws UsageError */
export async function readSecrets(
  values: OptionValues<typeof secretOptions>,
  terminal: Terminal,
): Promise<Partial<Record<SecretName, string | null>>> {
  const set = secretNames.filter((name) => values[`${secretOptionOf[name]}-stdin`]);
  const removed = secretNames.filter((name) => values[`remove-${secretOptionOf[name]}`]);
  if (set.length > 1) {
    const options = set.map((name) => `--${secretOptionOf[name]}-stdin`).join(' and ');
    throw new UsageError(`Standard input can bring one secret only: set ${options} one after the other.`);
  }
  const given: Partial<Record<SecretName, string | null>> = {};
  for (const name of removed) given[name] = null;
  for (const name of set) {
    if (removed.includes(name)) throw new UsageError('A secret can be set or removed, not both.');
    given[name] = checkSecret(name, await terminal.readInput());
  }
  return given;
}

function checkSecret(name: SecretName, input: string): string {
  const text = input.trim();
  const objection = objectToSecret(name, text);
  if (objection !== undefined) throw new UsageError(`Standard input must bring ${objection}.`);
  return text;
}
