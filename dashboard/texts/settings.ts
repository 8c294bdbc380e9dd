import { part } from './part.ts';

/** The settings of a project. */
export const t = part('settings', {
  settings: 'Settings',
  onlyAnOwnerChangesThis: 'Only an owner can change this.',
  saved: 'Saved',
  unsavedChanges: 'Unsaved changes',
  partsOfYourSite: 'Parts of your site that are no sections yet:',
  noOtherParts: 'No other parts were found.',
  lookInTheRepository: 'Look in the repository',
  addSection: 'Add {name}',
  saveSection: 'Save: {title}',
  save: 'Save',
  notCounted: 'Not counted',
  whatIsLeftOutFromNowOn:
    'Visits that these match are left out from now on, by whichever way they come, and how many is on the page Measurement. Days before stay as they are: only of countries reports can leave them out, too.',
  viewsInDataCenters:
    'Of {all} views of people in the last 30 days, {inDataCenters} were in data centers of large clouds. Without them there are {elsewhere}.',
  networksNotKnown:
    'How many views came from data centers is not known: the server needs a database of networks (HEADCOUNT_ASN_DATABASE), and views counted before it was there stay unknown.',
  previewExclusions: 'Preview',
  exclusionWouldLeaveOut:
    '{rule}: in the last 30 days {views} views and {visitors} visitors would have been left out (? is not known).',
  exclusionIsNotKnown: '{rule}: not known, as what was counted does not hold this.',
  noExclusionIsNew: 'No rule is new.',
  myOwnVisits: 'My own visits',
  youComeFrom: 'You come from {network}.',
  yourAddressIsLeftOut: 'Your address {network} is left out.',
  leaveOutThisAddress: 'Leave out this address',
  leaveOutThisBrowser: 'Leave out this browser',
  theLineThatLeavesOutThisBrowser: 'the line that leaves out this browser',
  pasteThisIntoTheConsole:
    'Open your site, and paste this line into the console of the browser. It holds for this site until you delete its data.',
  frames: 'Frames',
  whatAShareLinkLeadsToIsShown:
    'Shared pages may be shown in frames on the sites that you name. No other page of the dashboard ever is.',
  leaveItEmptyToCountAllHosts: 'Leave it empty to count all hosts.',
  ifItIsEmptyAllHosts: 'If it is empty, all hosts are counted, even your own machine.',
  nameTheHostsOfYourSitePages:
    'Name the hosts of your site. Pages were seen on {hosts}. If it is empty, all hosts are counted, but localhost and other private names only until a public one was seen.',
  sharing: 'Sharing',
  nothingInThisProjectIsPublic: 'Nothing in this project is public.',
  created: '{description} Created {createdAt}.',
  badgeOf: 'Badge of {projectName}',
  open: 'Open',
  revoke: 'Revoke',
  linkKinds: {
    page: {
      title: 'Share link',
      what: 'the share link',
      description: 'Everybody who has it can see the overview, and change nothing.',
      create: 'Create share link',
      revokeThis: 'Revoke this share link',
      question: 'Revoke this share link?',
      revoke: 'Revoke share link',
      consequence: 'Its address stops working at once. A new share link gets another address.',
    },
    badge: {
      title: 'Badge',
      what: 'the badge',
      description: 'An image with the visitors of the last 30 days, for a README or a page.',
      create: 'Create badge',
      revokeThis: 'Revoke this badge',
      question: 'Revoke this badge?',
      revoke: 'Revoke badge',
      consequence: 'Its address stops working at once. A new badge gets another address.',
    },
  },
  removeTheProject: 'Remove the project',
  thisDeletesItsCountsKeys:
    'This deletes its counts, keys, links and jobs for good. Pull requests that are already open stay.',
  removeProject: 'Remove project',
  thisCannotBeUndoneToConfirm: 'This cannot be undone. To confirm, type the project’s name: {name}',
  nameOfTheProject: 'Name of the project',
  reportsAndAlerts: 'Reports and alerts',
  theNumbersOfAWeekOrAMonth:
    'Weekly or monthly reports, and alerts, by mail and to a webhook, once the days are over.',
  sentLately: 'Recent deliveries',
  nothingWasSentInTheLast30: 'Nothing was sent in the last 30 days.',
  sendATrial: 'Send a test',
  theWebhook: 'the webhook',
  itIsTriedAgainAfter: 'The next attempt is after {moment}.',
  retention: 'Retention',
  countsAreKeptForGoodAndThose:
    'Counts are kept for good, and those of hours for a day, unless you say otherwise.',
  deleteOlderCounts: 'Delete older counts?',
  saveAndDelete: 'Save and delete',
  olderCountsAreDeletedWithin: 'Older counts are deleted within a minute. Only a backup can bring them back.',
  secrets: 'Secrets',
  theyAreStoredEncrypted: 'They are stored encrypted and never shown again. You can replace or remove them.',
  isSet: '•••••••••••• is set',
  notSet: 'not set',
  removeSecret: 'Remove: {label}',
  remove: 'Remove',
  secretKinds: {
    forgeToken: {
      label: 'Token for the repository',
      hint: 'On GitHub, a fine-grained token for this repository alone, with read and write access to contents and pull requests.',
    },
    githubAppKey: {
      label: 'Private key of the GitHub App',
      hint: 'The whole .pem file.',
    },
    repositoryTokens: {
      label: 'Tokens for other repositories',
      hint: 'One line for each: its address, a space, and a token that may read it. Each goes to its own repository alone.',
    },
    forgeWebhookSecret: {
      label: 'Secret of the repository’s webhook',
      hint: 'The same as in the webhook at the code host, so that comments are noticed at once. “openssl rand -hex 32” prints one.',
    },
    signingKey: {
      label: 'Private key that signs commits',
      hint: 'An SSH or GPG key without a passphrase: all that “ssh-keygen -t ed25519 -f key” or “gpg --export-secret-keys --armor” writes. Add its public half at the code host as a signing key.',
    },
    webhookUrl: {
      label: 'Address of the webhook',
      hint: 'Where reports and alerts are sent, such as that of an incoming webhook of Slack.',
    },
    webhookSecret: {
      label: 'Secret of the webhook',
      hint: 'What it is signed with: whsec_ and 32 random bytes in base64, such as “openssl rand -base64 32” prints. Slack needs none.',
    },
  },
  toReceiver: {
    waiting: 'Not sent yet to {receiver}, written {moment}.',
    sent: 'Sent to {receiver}, written {moment}.',
    failed: 'Not sent to {receiver}, written {moment}.',
  },
  jobs: 'Jobs',
  theRepositoryThatJobsWork: 'The repository that jobs work in, and the model.',
  limitsAndCosts: 'Limits and costs',
  costsAreKnownForTheUsual:
    'Costs are known for the usual models of Anthropic, Google and OpenAI. Once a month’s budget is spent, no job is taken.',
  useAGithubAppInsteadOfAToken: 'Use a GitHub App instead of a token',
  anExternalAgentWorksInstead:
    'An external agent works instead of the model: {command}. As it runs a program on the server, it can only be changed on the server’s command line.',
  fields: {
    name: { label: 'Name' },
    hosts: {
      label: 'Host names',
      placeholder: 'www.example.com',
      hint: 'One per line. Views on other hosts are not counted. {hint}',
    },
    keptParameters: {
      label: 'Query parameters to keep',
      placeholder: 'page',
      hint: 'One per line. They stay part of the path, as in /search?page=2; all others are removed.',
    },
    excludedPaths: {
      label: 'Excluded paths',
      placeholder: '/admin/**',
      hint: 'One per line. * stands for one part of a path, ** for any number of parts.',
    },
    excludedAddresses: {
      label: 'Excluded IP addresses',
      placeholder: '192.0.2.0/24',
      hint: 'Addresses and ranges whose visits are not counted, such as those of your office.',
    },
    excludedHosts: {
      label: 'Excluded hosts',
      placeholder: 'staging.example.com',
      hint: 'One per line. *.example.com stands for all hosts below example.com.',
    },
    excludedQueries: {
      label: 'Excluded query parameters',
      placeholder: 'preview=1',
      hint: 'One per line: a name, or a name, = and a value.',
    },
    excludedUserAgents: {
      label: 'Excluded user agents',
      placeholder: 'UptimeMonitor',
      hint: 'One per line: a part of the user agent, or all of it with * for any letters.',
    },
    excludedCountries: {
      label: 'Excluded countries',
      placeholder: 'AQ',
      hint: 'Codes of two letters.',
    },
    excludesPast: {
      label:
        'Leave excluded countries out of earlier days, too. Nothing is deleted: you can take it back at any time. Reports of hours, goals and events keep them.',
    },
    excludedAsNumbers: {
      label: 'Excluded networks (AS)',
      placeholder: 'AS64496',
      hint: 'Numbers of autonomous systems.',
    },
    excludesDataCenters: {
      label: 'Leave out browsers in data centers',
    },
    siteHost: {
      label: 'Public host',
      placeholder: 'www.example.com',
      hint: 'Its robots.txt and sitemap are fetched once a day, to say what AI clients make of them. Leave it empty to fetch nothing.',
    },
    trafficPrice: {
      label: 'Bandwidth price per GB',
      placeholder: '0.09',
      hint: 'In any currency. Then each AI client has its cost, if your server or log reports the length of answers.',
    },
    goals: {
      label: 'Goals',
      placeholder: 'Sign up\n/thanks',
      hint: 'One per line: the name of an event, or a path, in which * and ** stand for any parts. Their past is shown as far as it is known.',
    },
    funnels: {
      label: 'Funnels',
      placeholder: '/prices > /cart > Order',
      hint: 'One per line: 2 to 5 goals that people are to reach one after the other on one day.',
    },
    sections: {
      label: 'Sections',
      placeholder: '/docs/** Documentation',
      hint: 'One per line: a path, in which * and ** stand for any parts, a space and a name. Visitors of all its pages are counted once, from today on.',
    },
    renamedPaths: {
      label: 'Renamed paths',
      placeholder: '/docs/v1/** /docs/**',
      hint: 'One per line: the old path, a space and the new one. Old views count under the new path, too; without the line they are under the old one again.',
    },
    personalPaths: {
      label: 'Personal parts of paths',
      options: { mask: 'Count them as :email, :id and :token', keep: 'Keep them as they are' },
      hint: 'E-mail addresses, UUIDs and long random tokens, as in /reset/:token. What is already counted stays as it is.',
    },
    keepDetailsMonths: {
      label: 'Keep details for (months)',
      placeholder: 'forever',
      hint: 'Paths, sources, AI clients and all else that a day was counted by; its visitors and views stay. Leave it empty to keep them for good.',
    },
    keepCountsMonths: {
      label: 'Keep counts for (months)',
      placeholder: 'forever',
      hint: 'Everything that was counted on a day. Leave it empty to keep it for good.',
    },
    keepHoursDays: {
      label: 'Keep hours for (days)',
      placeholder: 'today and yesterday only',
      hint: 'Visitors and views by the hour, of up to 400 days before today. Leave it empty to keep those of today and yesterday alone.',
    },
    minimumGroup: {
      label: 'Smallest group of visitors',
      hint: 'When a day is closed, only values that so many of its visitors share are kept for filters together. 1 keeps all of them, and with them what single visitors did.',
    },
    embedOrigins: {
      label: 'Origins of these sites',
      placeholder: 'https://www.example.com',
      hint: 'One per line. Leave it empty to allow no frames.',
    },
    digest: {
      label: 'E-mail report',
      options: { never: 'Never', weekly: 'Every week, from Monday to Sunday', monthly: 'Every month' },
    },
    digestViews: { label: 'Saved views in the report' },
    webhookFormat: {
      label: 'Format of the webhook',
      options: { standard: 'JSON, signed (Standard Webhooks)', slack: 'Messages for Slack' },
      hint: 'Its address and what it is signed with are set under Secrets.',
    },
    mailTo: {
      label: 'Send mail to',
      placeholder: 'me@example.com',
      hint: 'One address per line. The mail server is set in the server’s environment.',
    },
    alerts: {
      label: 'Send an alert when',
      options: {
        new_client: 'An AI client comes for the first time',
        silent_client: 'An AI client has stopped coming',
        busy_client: 'An AI client reads three times as much as usual',
        spoofing: 'Three times as many hits pretend to be an AI client',
        silent_way: 'Nothing comes in any more by the script, the server or the log',
        finished_job: 'A job finished or failed',
      },
    },
    repository: {
      label: 'Repository',
      placeholder: 'https://github.com/owner/name',
      hint: 'Its address, without a user name or token. Changing the host removes the secrets below.',
    },
    model: {
      label: 'Model',
      placeholder: 'anthropic/claude-opus-4-5',
      hint: 'anthropic/…, openai/…, google/… or compatible/…. The API key is set in the server’s environment.',
    },
    ref: { label: 'Start from', placeholder: 'the default branch', hint: 'A branch, a tag or a commit.' },
    forge: {
      label: 'Code host',
      options: {
        auto: 'Detect automatically',
        none: 'None: only push branches',
      },
    },
    forgeUrl: {
      label: 'API address',
      placeholder: 'the host’s usual address',
      hint: 'Only for a code host of your own, such as https://git.example.com/api/v1.',
    },
    branchPrefix: { label: 'Branch prefix', hint: 'The names of new branches begin with it.' },
    commitFormat: {
      label: 'Format of commit titles',
      placeholder: 'any title',
      hint: 'conventional, or a regular expression such as ^(docs|fix): that titles match.',
    },
    signOff: { label: 'Sign off commits with their author (DCO)' },
    draft: { label: 'Open pull requests as drafts' },
    closeIssues: { label: '“Fixes #42” may close issues' },
    mendChecks: { label: 'Fix failed checks, at most twice' },
    reportEffects: {
      label: 'Comment on merged pull requests with how their pages are read, after 14 and 28 days',
    },
    comments: {
      label: 'Comments that become messages',
      options: {
        members: 'From people who may write to the repository',
        off: 'None',
      },
      hint: 'At pull requests of jobs. The code host is asked for each comment what its author may do; others get no answer.',
    },
    mention: { label: 'Mention', hint: 'What such a comment begins with, after an @.' },
    reviewers: {
      label: 'Ask for a review',
      options: {
        owners: 'The owners of the changed files',
        authors: 'The owners, or else who wrote there last',
        off: 'Nobody',
      },
      hint: 'When a pull request is opened: two people at most. Owners are in CODEOWNERS.',
    },
    docsFolder: {
      label: 'Docs folder',
      placeholder: 'found automatically',
      hint: 'Where the documentation is in the repository, such as website/docs.',
    },
    agentPaths: {
      label: 'Files that agents may change',
      placeholder: 'data/*.yml',
      hint: 'One glob per line, besides pages, images and navigation. Previews may run code from such files before anybody has reviewed it. !api/** keeps files from agents.',
    },
    agentHosts: {
      label: 'Hosts that agents may read',
      placeholder: 'docs.example.com',
      hint: 'One name per line. Agents read pages there over https, and nothing else on the web.',
    },
    agentRepositories: {
      label: 'Other repositories that agents may read',
      placeholder: 'https://github.com/owner/product',
      hint: 'One address per line. Agents look into them and change nothing there. Tokens for private ones are set under Secrets.',
    },
    turnSteps: { label: 'Model answers per turn', placeholder: '60' },
    turnTokens: { label: 'Tokens per turn', placeholder: '2000000' },
    turnMinutes: { label: 'Minutes per turn', placeholder: '30' },
    turnCost: { label: 'Dollars per turn', placeholder: 'no limit' },
    monthlyBudget: { label: 'Dollars per month', placeholder: 'no limit' },
    fallbackModel: { label: 'Model to use while that one is overloaded', placeholder: 'none' },
    modelLimits: {
      label: 'Tokens of models',
      placeholder: 'compatible/qwen context=32768 output=8192',
      hint: 'How many tokens a model reads and writes, one per line. Known for the usual models of Anthropic, Google and OpenAI.',
    },
    githubAppId: { label: 'App ID or client ID', hint: 'Set the app’s private key under Secrets.' },
    githubInstallationId: { label: 'Installation ID', placeholder: 'found from the repository' },
  },
});
