import type { SettingName } from './project.ts';

/** Settings that say what is not counted, by their names among the exclusions. */
export const exclusionSettings = {
  paths: 'excludedPaths',
  addresses: 'excludedAddresses',
  hosts: 'hosts',
  excludedHosts: 'excludedHosts',
  queries: 'excludedQueries',
  userAgents: 'excludedUserAgents',
  countries: 'excludedCountries',
  asNumbers: 'excludedAsNumbers',
  past: 'excludesPast',
  dataCenters: 'excludesDataCenters',
} as const satisfies Record<string, SettingName>;
