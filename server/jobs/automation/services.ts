import type { Clock } from '../../clock.ts';
import type { SiteFiles } from '../../sitefiles/site-files.ts';
import type { JobServices } from '../turn/services.ts';

/** The parts of the server that automations need. */
export interface AutomationServices extends JobServices {
  siteFiles: Pick<SiteFiles, 'pages'>;
  /** Knows whether the time can be believed. */
  clock: Clock;
}
