import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { isAtLeast, type Role } from '../../shared/accounts/role.ts';
import { filterNames } from '../../shared/reports/pairs.ts';
import { t } from '../texts/common.ts';
import { useRouter } from './router.tsx';

/** What follows the project's address, the page's name, and the least role that it is for; of numbers those with a link, too. */
const pages = {
  '': ['overview', 'viewer'],
  '/ai': ['ai', 'viewer'],
  '/search': ['search', 'viewer'],
  '/conversions': ['conversions', 'viewer'],
  '/fix': ['fix', 'viewer'],
  '/live': ['live', 'viewer'],
  '/measurement': ['measurement', 'viewer'],
  '/jobs': ['jobs', 'editor'],
  '/rules': ['rules', 'viewer'],
  '/install': ['install', 'editor'],
  '/settings': ['settings', 'editor'],
} as const satisfies Record<string, readonly [keyof typeof t.projectPages, Role]>;

/** The same below the settings. */
const settingsPages = {
  '': ['general', 'editor'],
  '/goals': ['goals', 'editor'],
  '/reports': ['reports', 'editor'],
  '/sharing': ['sharing', 'editor'],
  '/jobs': ['jobs', 'editor'],
  '/keys': ['keys', 'owner'],
  '/danger': ['danger', 'owner'],
} as const satisfies Record<string, readonly [keyof typeof t.settingsPages, Role]>;

export type PageEnd = keyof typeof pages;
export type SettingsEnd = keyof typeof settingsPages;

/** Those of numbers, which have the choice of days and filters in common. */
const ofNumbers: readonly string[] = ['', '/ai', '/search', '/conversions', '/fix', '/measurement'];
const ofEverybody = ['', '/ai'] as const;
const daysParameters = ['range', 'measure', 'compare', 'interval'];
const keptParameters = [...daysParameters, ...filterNames];

interface PageLink {
  end: string;
  name: string;
}

/** The pages of a project for somebody with this role in it; null: with a link to it. */
export function pagesFor(held: Role | null): PageLink[] {
  const ends = held === null ? ofEverybody : (Object.keys(pages) as PageEnd[]);
  return ends
    .filter((end) => held === null || isAtLeast(held, pages[end][1]))
    .map((end) => ({ end, name: t.projectPages[pages[end][0]] }));
}

export function settingsPagesFor(held: Role): PageLink[] {
  return (Object.keys(settingsPages) as SettingsEnd[])
    .filter((end) => isAtLeast(held, settingsPages[end][1]))
    .map((end) => ({ end: `/settings${end}`, name: t.settingsPages[settingsPages[end][0]] }));
}

/** Of the page of numbers that was shown last. */
let days: [string, string][] = [];

/** The address of a page of the project: on those of numbers, days and filters stay as they are chosen; days on the way back, too. */
export function usePageAddress(base: string): (end: string) => string {
  const { query, path } = useRouter();
  const given = (names: readonly string[]) =>
    names.flatMap((name): [string, string][] => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    });
  const isOfNumbers = ofNumbers.includes(path.replace(/^\/\w+\/[^/]+/, ''));
  if (isOfNumbers) days = given(daysParameters);
  const kept = isOfNumbers ? given(keptParameters) : days;
  const text = kept.length > 0 ? `?${new URLSearchParams(kept)}` : '';
  return (end) => base + end + (ofNumbers.includes(end) ? text : '');
}

/** The project that is shown; null: to somebody who has the link to its shared page. */
export const ProjectContext = createContext<ProjectReply | null>(null);

/** Whether something was counted of the project, though no hit has come: it is known from logs or another tool. */
export const ImportedContext = createContext(false);

/** Whether a page of the project is for the user. */
export function useMayOpen(end: string): boolean {
  const role = useContext(ProjectContext)?.role;
  return (role && [...pagesFor(role), ...settingsPagesFor(role)].some((page) => page.end === end)) ?? false;
}

/** Of reports that the overview once had, by the parameter that named one of them. */
const formerGroups: Readonly<Record<string, string>> = {
  ...{ ai: '/ai', landings: '/ai', trouble: '/ai', searches: '/search', work: '/fix', ways: '/measurement' },
  ...{ goal: '/conversions', event: '/conversions' },
};
const formerSections: Readonly<Record<string, string>> = {
  ...{ reports: '/reports', deliveries: '/reports', sharing: '/sharing', frames: '/sharing', jobs: '/jobs' },
  ...{ secrets: '/jobs', audit: '/keys', retention: '/danger', removal: '/danger' },
};

/** Where a page is now that mails and bookmarks still have at another address; null: where it was. */
export function movedTo(base: string, path: string, query: URLSearchParams, hash: string): string | null {
  if (path === `${base}/keys`) return `${base}/settings/keys`;
  const section = path === `${base}/settings` ? formerSections[hash.slice(1)] : undefined;
  if (section !== undefined) return `${base}/settings${section}`;
  const group = path === base ? Object.keys(formerGroups).find((name) => query.has(name)) : undefined;
  return group === undefined ? null : `${base}${formerGroups[group]}?${query}`;
}
