import type { RuleTarget } from '../../../shared/reports/sites.ts';
import { caddyRules } from './caddy-rules.ts';
import { nginxRules } from './nginx-rules.ts';
import { robotsRules } from './robots-rules.ts';
import type { RuledClient } from './ruled-client.ts';
import { workerRules } from './worker-rules.ts';

/** Rules to paste. */
export interface WrittenRules {
  text: string;
  /** Where they belong. */
  place: string;
  /** What they cannot do. */
  notes: string[];
}

const writers: Record<RuleTarget, (clients: readonly RuledClient[]) => WrittenRules> = {
  robots: robotsRules,
  nginx: nginxRules,
  caddy: caddyRules,
  worker: workerRules,
};

export function writeRules(target: RuleTarget, clients: readonly RuledClient[]): WrittenRules {
  return writers[target](clients);
}
