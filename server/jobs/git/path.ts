/**
 * Whether some file system takes the name for `.git`: without regard to case, with code points that HFS+ ignores, or
 * as NTFS reads it (trailing dots and spaces, stream names, and short names such as GIT~1 and GI7EBA~1).
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
 */
export function isGitName(name: string): boolean {
  const folded = foldName(name);
  return folded === '.git' || /^\.?gi[^~]{0,4}~\d/.test(folded);
}

/** What file systems that fold case or drop characters would take this name for. */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
}

/** Git for Windows takes 259 characters, with the folder of the checkout. */
const maxPortableLength = 200;
const devices = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3]) *([.:]|$)/i;

/**
 * Why a checkout on some usual system fails for a path, as a part of a sentence.
 * @param names those of the path that are new
 */
export function findUnportable(names: readonly string[], path: string): string | undefined {
  if (path.length > maxPortableLength) {
    return `it has ${path.length} characters, and Windows takes no more than ${maxPortableLength} safely`;
  }
  for (const name of names) {
    const shown = JSON.stringify(name.slice(0, 100));
    if (devices.test(name)) return `${shown} is a device to Windows`;
    const [sign] = /[<>:"|?*\\\p{Cc}]/u.exec(name) ?? [];
    if (sign !== undefined) return `Windows takes no ${JSON.stringify(sign)} in a name`;
    if (/[. ]$/.test(name)) return `Windows drops the dot or space at the end of ${shown}`;
  }
  return undefined;
}

/** The same for two paths that some file system takes for one: by case, composed characters, or what it leaves out. */
export function foldTwin(path: string): string {
  const characters = path.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFC');
  return Array.from(characters, (character) => {
    const upper = character.toUpperCase();
    // Those that become several, such as a sharp s, stay as they are to file systems.
    return (upper.length === character.length ? upper : character).toLowerCase();
  }).join('');
}

/** Files that make some machine run something: who may write one runs code with other people's rights. */
const protections: readonly { why: string; paths: readonly RegExp[] }[] = [
  {
    why: 'git obeys it, or runs it as a hook',
    paths: [
      /(^|\/)\.(git(attributes|modules|config|hooks)|git-hooks|lfsconfig|husky|lefthook)(\/|$)/,
      /(^|\/)\.?lefthook(-local)?\.(ya?ml|toml|json)$/,
      /(^|\/)\.pre-commit-(config|hooks)\.ya?ml$/,
    ],
  },
  {
    why: 'it defines what a code host or a build service runs, or who must approve what',
    paths: [
      /(^|\/)\.(github|gitea|forgejo)\/(workflows|actions)(\/|$)/,
      /(^|\/)\.github\/(dependabot|settings|renovate|mergify|labeler|auto_assign)\.(ya?ml|json5?)$/,
      /(^|\/)(\.mergify|\.kodiak|bors|\.bulldozer|\.policy)\.(ya?ml|toml)$/,
      /(^|\/)codeowners$/,
      /(^|\/)\.gitlab(\/ci|-ci[^/]*)(\/|$)/,
      /(^|\/)\.(circleci|buildkite|semaphore|teamcity|tekton|builds|woodpecker|azure-pipelines|ci)(\/|$)/,
      /(^|\/)\.(travis|appveyor|drone|woodpecker|cirrus|build)\.(ya?ml|jsonnet|star)$/,
      /(^|\/)(appveyor|wercker|codefresh|azure-pipelines[^/]*|bitbucket-pipelines)\.ya?ml$/,
      /(^|\/)(cloudbuild|buildspec[^/]*)\.(ya?ml|json)$/,
      /(^|\/)jenkinsfile[^/]*$/,
    ],
  },
  {
    why: 'an editor, a shell or another agent runs it when somebody opens the folder',
    paths: [
      /(^|\/)\.(vscode|idea|devcontainer|claude|cursor|windsurf|clinerules|roo|kiro|continue|codex|gemini|agents)(\/|$)/,
      /(^|\/)\.(envrc|mcp\.json|devcontainer\.json|cursorrules|windsurfrules|clinerules|roomodes)$/,
    ],
  },
  {
    why: 'Windows may know a protected file by this short name',
    paths: [/(^|\/)[^./~]{1,6}~\d(\.[^./]{0,3})?(\/|$)/],
  },
];

/** What file systems that fold names would take a path for. */
export function foldPath(path: string): string {
  const names = path.split('/').map(foldName);
  return names.filter((name) => name !== '').join('/');
}

/** Why no agent may write, move or delete this file of a repository, whatever its project allows. */
export function findProtection(path: string): string | undefined {
  if (path.split('/').some(isGitName)) return 'it belongs to git itself';
  const folded = foldPath(path);
  return protections.find(({ paths }) => paths.some((pattern) => pattern.test(folded)))?.why;
}
