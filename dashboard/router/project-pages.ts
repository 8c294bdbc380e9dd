import { isAtLeast, type Role } from '../../shared/role.ts';

/** What follows the project's address, the page's name, and the least role that it is for. */
const pages: readonly (readonly [end: string, name: string, role: Role])[] = [
  ['', 'Overview', 'viewer'],
  ['/jobs', 'Jobs', 'editor'],
  ['/rules', 'AI rules', 'viewer'],
  ['/install', 'Install', 'editor'],
  ['/keys', 'Keys', 'owner'],
  ['/settings', 'Settings', 'editor'],
];

/** The pages of a project for somebody with this role in it. */
export function pagesFor(held: Role): { end: string; name: string }[] {
  return pages.filter(([, , role]) => isAtLeast(held, role)).map(([end, name]) => ({ end, name }));
}
