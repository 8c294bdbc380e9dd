import { part } from './part.ts';

/** Around the pages of a project: the first one, finding one. */
export const t = part('frame', {
  yourFirstProject: 'Your first project',
  aProjectIsASiteWhoseVisitors:
    'A project is a site whose visitors are counted. It gets a script and keys of its own.',
  noProjectYet: 'No project yet',
  youHaveARoleInNoProjectAsk: 'You have a role in no project. Ask an owner to give you one.',
  pageNotFound: 'Page not found',
  thereIsNoProject: 'There is no project at this address. It may have been removed.',
  noPageViewsYet: 'No page views yet',
  someAreForItsOwnersAlone: 'Some are for its owners alone.',
  goToItsOverview: 'Go to its overview',
  readOnly: 'Read-only',
  visitors: 'Visitors',
  name: 'Name',
  newProject: 'New project',
  projectSwitch: 'Project {name}, switch',
  allProjects: 'All projects',
  projects: 'Projects',
  noProjectHasThisName: 'No project has this name.',
  searchProjects: 'Search projects',
  search: 'Search',
  headcountHome: 'Headcount, home',
  installation: 'Installation',
  signOut: 'Sign out',
  project: 'Project',
  goToTheFirstProject: 'Go to the first project',
  goToAllProjects: 'Go to all projects',
  thisProjectHasNoSuchPage: 'This project has no such page.',
});
