// What is loaded with the first page beside the overview.
export { AllProjects } from '../projects/all-projects.tsx';
export { Live } from '../report/live.tsx';
export { ReportPage } from '../report/pages.tsx';
export { Install, InstallWays } from './install.tsx';
export { Installation } from './installation.tsx';
export { Job } from './job.tsx';
export { Jobs } from './jobs.tsx';
export { Rules } from './rules.tsx';
export { Settings } from './settings.tsx';
export { Invitation, Setup } from './setup.tsx';
export { SignOn } from './sign-on.tsx';
