// What is loaded with the first page beside the overview.
export { AllProjects } from '../projects/all-projects.tsx';
export { Install } from './install.tsx';
export { Installation } from './installation.tsx';
export { Job } from './job.tsx';
export { Jobs } from './jobs.tsx';
export { Keys } from './keys.tsx';
export { Rules } from './rules.tsx';
export { Settings } from './settings.tsx';
export { SignOn } from './sign-on.tsx';
