/**
 * The code hosts that pull requests can be opened at, as people call them. The driver of each is a file in
 * server/jobs/forge.
 */
export const forgeLabels = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea, Forgejo',
  bitbucket: 'Bitbucket Cloud',
} as const;

export type ForgeKind = keyof typeof forgeLabels;

export const forgeKinds = Object.keys(forgeLabels) as ForgeKind[];

/** `auto`: found out by asking the host; `none`: branches are pushed and nothing is opened. */
export const forgeChoices = ['auto', ...forgeKinds, 'none'] as const;
