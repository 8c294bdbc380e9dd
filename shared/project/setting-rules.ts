import type { ProjectSettings } from './project.ts';

export type SettingName = keyof ProjectSettings;

/** Who may change a setting, from the least: a role in the project, the operator on the command line, or the server alone. */
export type Changer = 'editor' | 'owner' | 'operator' | 'server';

interface SettingRule<Value> {
  changedBy: Changer;
  /** What of the value an archive may bring to the server that takes it in; undefined: what holds without it. */
  imported(value: Value): Value | undefined;
}

type Importing = <Value>(value: Value) => Value | undefined;

const kept: Importing = (value) => value;
const leftOut: Importing = () => undefined;
/** What allows less than what holds without it. */
const only =
  <Value>(quiet: Value) =>
  (value: Value) =>
    value === quiet ? value : undefined;

const editor = { changedBy: 'editor', imported: kept } as const;
const owner = { changedBy: 'owner', imported: kept } as const;
/** Sends, fetches, runs, grants or shows something to others. */
const ownerHere = { changedBy: 'owner', imported: leftOut } as const;
const editorHere = { changedBy: 'editor', imported: leftOut } as const;
const operatorHere = { changedBy: 'operator', imported: leftOut } as const;

/**
 * Of each setting, the least role that may change it, and whether it comes with an imported project. Read by HTTP, commands,
 * the dashboard and the import; docs/people.md says the same in words, which a test compares.
 */
export const settingRules: { readonly [Name in SettingName]: SettingRule<ProjectSettings[Name]> } = {
  // What is counted.
  name: editor,
  hosts: ownerHere,
  siteHost: ownerHere,
  seenHosts: { changedBy: 'server', imported: kept },
  timeZone: editor,
  excludedPaths: editor,
  excludedAddresses: editor,
  keptParameters: editor,
  goals: editor,
  funnels: editor,
  countTwinsAs: editor,
  personalPaths: owner,
  keepDetailsMonths: owner,
  keepCountsMonths: owner,
  keepHoursDays: owner,
  trafficPrice: editor,
  // Who is shown and sent it.
  embedOrigins: ownerHere,
  mailTo: ownerHere,
  webhookFormat: ownerHere,
  alerts: editorHere,
  digest: editorHere,
  // What jobs work on, and by whose rights.
  repository: ownerHere,
  ref: editorHere,
  forge: ownerHere,
  forgeUrl: ownerHere,
  githubAppId: ownerHere,
  githubInstallationId: ownerHere,
  // What they cost.
  model: ownerHere,
  fallbackModel: ownerHere,
  modelLimits: ownerHere,
  turnSteps: ownerHere,
  turnTokens: ownerHere,
  turnMinutes: ownerHere,
  turnCost: owner,
  monthlyBudget: owner,
  // What they do at the code host. Branches and labels can set off builds and merges there.
  branchPrefix: ownerHere,
  commitAuthor: ownerHere,
  signOff: ownerHere,
  commitFormat: editorHere,
  draft: editor,
  labels: ownerHere,
  reviewers: { changedBy: 'editor', imported: only('off') },
  maxOpenPullRequests: editor,
  closeIssues: editorHere,
  comments: { changedBy: 'owner', imported: only('off') },
  mention: editorHere,
  mendChecks: editorHere,
  tellEffects: { changedBy: 'owner', imported: only(false) },
  // What agents read and change.
  docsFolder: editorHere,
  agentPaths: ownerHere,
  agentHosts: ownerHere,
  agentRepositories: ownerHere,
  agentCommand: operatorHere,
  agentUnconfined: operatorHere,
};
