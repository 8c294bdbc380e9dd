export interface DropRule {
  /** In the report of what was not counted, with a sentence; missing: no report of a project knows it. */
  name?: string;
  description?: string;
  /** In the summary of an import; missing: no line of a log has it. */
  inLogs?: string;
  /** In the console of a page, after "is not counted". */
  inConsole: string;
}

/** Reasons why a hit is not counted, with all English texts about them. */
export const dropReasons = {
  unknown_project: { inConsole: 'the server has no project with the id that data-project names' },
  invalid: { inConsole: 'the server does not understand it' },
  not_a_person: { inConsole: 'how long an AI client has a page open is not counted' },
  foreign_host: {
    name: 'Page on another host',
    description:
      'The page is on a host that the settings do not name, or on localhost although pages of another host were counted.',
    inLogs: 'host of another site',
    inConsole:
      'the page’s host is not one that the project names, or a private one such as localhost, which is left out once a public one was counted',
  },
  excluded_host: {
    name: 'Excluded host',
    description: 'This host is excluded in the settings.',
    inLogs: 'excluded host',
    inConsole: 'the project excludes the page’s host',
  },
  excluded_path: {
    name: 'Excluded path',
    description: 'This path is excluded in the settings.',
    inLogs: 'excluded path',
    inConsole: 'the project excludes the page’s path',
  },
  excluded_query: {
    name: 'Excluded query',
    description: 'A query parameter of the page is excluded in the settings.',
    inLogs: 'excluded query parameter',
    inConsole: 'the project excludes a query parameter of the page',
  },
  excluded_address: {
    name: 'Excluded address',
    description: 'This IP address is excluded in the settings.',
    inLogs: 'excluded address',
    inConsole: 'the project excludes your address',
  },
  excluded_country: {
    name: 'Excluded country',
    description: 'This country is excluded in the settings.',
    inLogs: 'excluded country',
    inConsole: 'the project excludes your country',
  },
  excluded_as: {
    name: 'Excluded network',
    description: 'This autonomous system is excluded in the settings.',
    inLogs: 'excluded autonomous system',
    inConsole: 'the project excludes your network',
  },
  excluded_user_agent: {
    name: 'Excluded user agent',
    description: 'This user agent is excluded in the settings.',
    inLogs: 'excluded user agent',
    inConsole: 'the project excludes your user agent',
  },
  no_page: {
    name: 'No page',
    description: 'An error, a redirect, a prefetch or a file for machines, or what only scanners look for.',
    inLogs: 'what scanners look for (/.env, /wp-login.php …)',
    inConsole: 'only scanners ask for such a path',
  },
  bot: {
    name: 'Bot',
    description: 'Automation that is not AI.',
    inLogs: 'bot that is not AI',
    inConsole: 'the server takes the browser for a bot, by its user agent',
  },
  spoofed: {
    name: 'Spoofed AI client',
    description: 'It claims to be this client, but its IP address is not the operator’s.',
    inLogs: 'claims to be an AI client that it is not',
    inConsole: 'the browser claims to be an AI client that it is not',
  },
  too_old: {
    name: 'Too old',
    description: 'It arrived more than 24 hours after the view.',
    inConsole: 'the server holds the day for closed: is its clock right?',
  },
  left_to_script: {
    name: 'People',
    description: 'Reported by your server; the script counts people.',
    inLogs: 'people, who are left to the script',
    inConsole: 'people are left to the script',
  },
  data_center: {
    name: 'Data center',
    description: 'A browser in a network where anybody may rent machines, which the settings leave out.',
    inLogs: 'browser in a data center',
    inConsole: 'the project leaves out browsers in data centers, and yours is in one',
  },
  same_view: {
    name: 'Reported twice',
    description: 'The script and your server both reported this view of an AI client.',
    inConsole: 'the site’s own server has reported it already',
  },
  rate_limited: {
    name: 'Too many at once',
    description: 'One network sent more views within a minute than people can cause.',
    inConsole: 'too many hits come from your network',
  },
} as const satisfies Record<string, DropRule>;

export type DropReason = keyof typeof dropReasons;

/** Those that reports of a project's days have. */
export type CountedDropReason = {
  [Reason in DropReason]: (typeof dropReasons)[Reason] extends { name: string } ? Reason : never;
}[DropReason];

export const dropReasonNames = Object.keys(dropReasons) as [DropReason, ...DropReason[]];

export const countedDropReasonNames = dropReasonNames.filter(
  (reason): reason is CountedDropReason => 'name' in dropReasons[reason],
) as [CountedDropReason, ...CountedDropReason[]];
