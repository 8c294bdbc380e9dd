import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
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

/** Of whoever looks, in the project that is shown; null: they have the link to its shared page. */
export const ProjectRoleContext = createContext<Role | null>(null);

/** Whether a page of the project is for whoever looks. */
export function useMayOpen(end: string): boolean {
  const role = useContext(ProjectRoleContext);
  return role !== null && pagesFor(role).some((page) => page.end === end);
}
