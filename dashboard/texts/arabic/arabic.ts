import type { Translation } from '../translation.ts';
import { automations } from './automations.ts';
import { common } from './common.ts';
import { declared } from './declared.ts';
import { frame } from './frame.ts';
import { goals } from './goals.ts';
import { installation } from './installation.ts';
import { jobs } from './jobs.ts';
import { names } from './names.ts';
import { pages } from './pages.ts';
import { report } from './report.ts';
import { settings } from './settings.ts';

export const arabic: Translation<'ar'> = {
  automations,
  common,
  declared,
  frame,
  goals,
  installation,
  jobs,
  names,
  pages,
  report,
  settings,
};
