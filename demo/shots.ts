import type { OddProjects } from './odd-projects.ts';

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

export interface Shot {
  /** Of the file, below `docs/`. */
  name: string;
  path: string;
  viewport: { width: number; height: number };
  scheme: 'light' | 'dark';
  /** Of the browser, and so its language. */
  locale?: string;
  isSignedOut?: boolean;
  /** A button that is pressed first. */
  press?: string;
  /** For those who change the dashboard. */
  isForReview?: boolean;
  /** What is unfolded then. */
  unfold?: string;
  /** An option that is chosen. */
  choose?: { field: string; option: string };
  /** All of the page, however long; scrolled through first, so that all of it is read. */
  isWhole?: boolean;
  /** The report whose panel the picture begins with. */
  from?: string;
}

interface Shown {
  projectId: string;
  jobId: string;
  /** Path of a shared page. */
  share: string;
  odd: OddProjects;
}

/** Those of the README and of the pages. */
export function shotsOfDocs({ projectId, jobId }: Shown): Shot[] {
  const base = `/p/${projectId}`;
  const light = { viewport: desktop, scheme: 'light' } as const;
  const dark = { viewport: desktop, scheme: 'dark' } as const;
  const small = { viewport: phone, scheme: 'light' } as const;
  const smallDark = { viewport: phone, scheme: 'dark' } as const;
  return [
    { name: 'overview-light', path: `${base}?range=90d`, ...light, viewport: { ...desktop, height: 1560 } },
    { name: 'overview-dark', path: base, ...dark },
    { name: 'overview-phone', path: base, ...small },
    { name: 'overview-phone-dark', path: `${base}?range=90d`, ...smallDark },
    { name: 'client-light', path: `${base}?client=GPTBot`, ...light },
    { name: 'automations-light', path: `${base}/jobs`, ...light, viewport: { ...desktop, height: 1020 } },
    { name: 'job-light', path: `${base}/jobs/${jobId}`, ...light },
    { name: 'job-phone-dark', path: `${base}/jobs/${jobId}`, ...smallDark },
    { name: 'overview-arabic', path: base, ...light, locale: 'ar' },
    { name: 'job-german', path: `${base}/jobs/${jobId}`, ...light, locale: 'de' },
    { name: 'keys-dark', path: `${base}/settings/keys`, ...dark },
    { name: 'install-light', path: `${base}/install`, ...light },
    { name: 'settings-dark', path: `${base}/settings`, ...dark },
    { name: 'sign-in-phone', path: '/sign-in', ...small, isSignedOut: true },
  ];
}

/** Every view, light, dark and on a phone, and what is odd. */
export function shotsOfViews(shown: Shown): Shot[] {
  return [...everyView(shown), ...oddViews(shown)].map((shot) => ({ ...shot, isForReview: true }));
}

function everyView({ projectId, jobId, share }: Shown): Shot[] {
  const base = `/p/${projectId}`;
  const views: (Pick<Shot, 'name' | 'path'> & Partial<Shot>)[] = [
    { name: 'overview', path: base },
    { name: 'overview-90-days', path: `${base}?range=90d&place=cities` },
    { name: 'overview-today', path: `${base}?range=today` },
    { name: 'page', path: `${base}?path=/docs/install` },
    { name: 'all-projects', path: '/', isWhole: false },
    { name: 'ai', path: `${base}/ai` },
    { name: 'reads-by-week', path: `${base}/ai?range=90d&operators.operator=OpenAI`, from: 'operators' },
    { name: 'search', path: `${base}/search` },
    { name: 'conversions', path: `${base}/conversions?range=90d` },
    { name: 'goal', path: `${base}/conversions?range=90d&goal=Download&by=path` },
    { name: 'fix', path: `${base}/fix?freshness.client=ClaudeBot`, unfold: 'Did it help?' },
    { name: 'measurement', path: `${base}/measurement?range=90d` },
    { name: 'time', path: `${base}?range=30d&pages=time`, from: 'time-on-page' },
    {
      name: 'rules',
      path: `${base}/rules`,
      choose: { field: 'Training of models', option: 'Refuse (403)' },
    },
    { name: 'jobs', path: `${base}/jobs` },
    { name: 'job', path: `${base}/jobs/${jobId}` },
    { name: 'install', path: `${base}/install` },
    { name: 'settings', path: `${base}/settings` },
    ...['goals', 'reports', 'sharing', 'jobs', 'keys', 'danger'].map((name) => ({
      ...{ name: `settings-${name}`, path: `${base}/settings/${name}` },
    })),
    { name: 'installation', path: '/installation', isWhole: false },
    { name: 'roles', path: '/installation', press: 'Roles of grace@example.com', isWhole: false },
    { name: 'share', path: share, isSignedOut: true },
    { name: 'share-ai', path: `${share}/ai`, isSignedOut: true },
    { name: 'sign-in', path: '/sign-in?next=/', isSignedOut: true },
    { name: 'invitation', path: '/invitation#some-token/ada', isSignedOut: true },
  ];
  return views.flatMap((view): Shot[] => [
    { isWhole: true, ...view, name: `views/${view.name}-light`, viewport: desktop, scheme: 'light' },
    {
      ...{ ...view, isWhole: view.from !== undefined },
      ...{ name: `views/${view.name}-dark`, viewport: desktop, scheme: 'dark' },
    },
    { isWhole: true, ...view, name: `views/${view.name}-phone`, viewport: phone, scheme: 'light' },
  ]);
}

function oddViews({ odd, projectId }: Shown): Shot[] {
  const press = 'Project Teapot, switch';
  const views: (Pick<Shot, 'name' | 'path'> & Partial<Shot>)[] = [
    { name: 'empty', path: `/p/${odd.empty}` },
    { name: 'one-visit', path: `/p/${odd.oneVisit}` },
    { name: 'long-names', path: `/p/${odd.longNames}`, isWhole: true },
    { name: 'many-projects', path: `/p/${projectId}`, press },
  ];
  return views.flatMap((view): Shot[] => [
    { ...view, name: `views/${view.name}-light`, viewport: desktop, scheme: 'light' },
    { ...view, name: `views/${view.name}-phone`, viewport: phone, scheme: 'dark' },
  ]);
}
